import { type Reply, scriptedService } from './scripted-service.ts';

interface Limits {
  /** Called when a request arrives. Returns whether the service takes it. */
  takes(): boolean;
  /** Called when the answer to a request that it took is sent. */
  ends?(): void;
  retryAfter?: string;
  answersAfterMs?: number;
}

/** A service that takes a PUT of a val, or answers 429. */
export async function busyService({ takes, ends, retryAfter, answersAfterMs = 10 }: Limits) {
  const answers: ('taken' | 'refused')[] = [];
  const arrived = new Set<string>();
  const refusal: Reply = {
    status: 429,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    body: { message: 'too many' },
  };
  const { env } = await scriptedService([], ({ body }): Reply => {
    const isTaken = takes();
    answers.push(isTaken ? 'taken' : 'refused');
    if (!isTaken) return refusal;
    arrived.add(JSON.parse(body).name);
    return (response) =>
      setTimeout(() => {
        ends?.();
        response.end('{"id":"a","version":1}');
      }, answersAfterMs);
  });
  return { env, answers, arrived };
}

export function atATime(most: number): Pick<Limits, 'takes' | 'ends'> & { most(): number } {
  let underWay = 0;
  let highest = 0;
  return {
    takes() {
      if (underWay >= most) return false;
      underWay += 1;
      highest = Math.max(highest, underWay);
      return true;
    },
    ends() {
      underWay -= 1;
    },
    most: () => highest,
  };
}

export function aSecond(rate: number, burst: number): Pick<Limits, 'takes'> {
  let left = burst;
  let before = performance.now();
  return {
    takes() {
      const now = performance.now();
      left = Math.min(burst, left + ((now - before) / 1_000) * rate);
      before = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
