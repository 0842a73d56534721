import { describe, expect, it } from 'vitest';
import { createLimiter, type Limiter } from '../../../../src/core/http/request/limiter.ts';
import { folderOfVals, runQuickly as run, runProcess, valNames } from '../../../support/program.ts';
import { type Reply, scriptedService } from '../../../support/scripted-service.ts';

describe('the number of calls at a time', () => {
  const never = new AbortController().signal;

  /** Ends so many attempts that began one after the other. */
  function end(limiter: Limiter, result: 'went well' | 'refused', count: number): void {
    for (let each = 0; each < count; each++) limiter.beginAttempt()(result);
  }

  /** How many calls get a place, if nobody leaves. */
  async function placesOf(limiter: Limiter): Promise<number> {
    let places = 0;
    const leave: (() => void)[] = [];
    for (let call = 0; call < 40; call++) {
      limiter.enter().then((leaving) => {
        places += 1;
        leave.push(leaving);
      });
    }
    await new Promise(setImmediate);
    return places;
  }

  it.each([
    [7, 8],
    [8, 9],
    [8 + 9, 10],
    [5_000, 32],
  ])('after %d attempts that went well is %d', async (count, places) => {
    const limiter = createLimiter('auto', never);
    end(limiter, 'went well', count);
    expect(await placesOf(limiter)).toBe(places);
  });

  it.each([
    [1, 4],
    [2, 2],
    [9, 1],
  ])('after %d refusals, one after the other, is %d', async (count, places) => {
    const limiter = createLimiter('auto', never);
    end(limiter, 'refused', count);
    expect(await placesOf(limiter)).toBe(places);
  });

  it('is halved once for attempts that were refused together', async () => {
    const limiter = createLimiter('auto', never);
    const ends = Array.from({ length: 8 }, () => limiter.beginAttempt());
    for (const endAttempt of ends) endAttempt('refused');
    expect(await placesOf(limiter)).toBe(4);
  });

  it('is not changed if it was given', async () => {
    const limiter = createLimiter(3, never);
    end(limiter, 'refused', 2);
    end(limiter, 'went well', 20);
    expect(await placesOf(limiter)).toBe(3);
  });

  it('does not count after an abort, so that all calls end', async () => {
    const controller = new AbortController();
    const limiter = createLimiter(1, controller.signal);
    const places = placesOf(limiter);
    controller.abort();
    expect(await places).toBe(40);
  });

  it('goes to the calls in their order', async () => {
    const limiter = createLimiter(1, never);
    const leave = await limiter.enter();
    const order: number[] = [];
    const entered = [1, 2, 3].map((call) =>
      limiter.enter().then((leaving) => {
        order.push(call);
        leaving();
      }),
    );
    leave();
    await Promise.all(entered);
    expect(order).toEqual([1, 2, 3]);
  });
});

async function limitedService(most: number, ms: number) {
  const seen = { underWay: 0, most: 0, refused: 0, all: 0 };
  const service = await scriptedService([], (): Reply => {
    seen.all += 1;
    if (seen.underWay >= most) {
      seen.refused += 1;
      return { status: 429, headers: { 'retry-after': '1' }, body: { message: 'too many' } };
    }
    seen.underWay += 1;
    seen.most = Math.max(seen.most, seen.underWay);
    return (response) =>
      setTimeout(() => {
        seen.underWay -= 1;
        response.end('{"id":"a","version":1}');
      }, ms);
  });
  const push = async (count: number, ...more: string[]) => {
    const cwd = folderOfVals(valNames(count));
    const { exit, stdout } = await run(['push', '.', '--json', ...more], { env: service.env, cwd });
    expect({ exit, rows: JSON.parse(stdout).length }).toEqual({ exit: 0, rows: count });
  };
  return { seen, push };
}

it('a service that accepts only 4 requests at a time gets every val', async () => {
  const { push, seen } = await limitedService(4, 10);
  await push(120);
  expect(seen.refused).toBeLessThan(0.1 * seen.all);
});

it('a service that accepts everything gets up to 32 requests at a time', async () => {
  const { push, seen } = await limitedService(100, 20);
  await push(120);
  expect(seen.most).toBeGreaterThan(8);
  expect(seen.most).toBeLessThanOrEqual(32);
});

it('--concurrency fixes the number of requests at a time', async () => {
  const { push, seen } = await limitedService(100, 5);
  await push(20, '--concurrency', '3');
  expect(seen.most).toBe(3);
});

it('32 requests that wait for a retry at the same time print nothing on stderr', async () => {
  const replies = Array(32).fill({ status: 503 });
  const { env } = await scriptedService(replies, () => ({ body: { id: 'a', version: 1 } }));
  const args = ['push', '.', '--quiet', '--concurrency', '32'];
  const result = await runProcess(args, { env, cwd: folderOfVals(valNames(32)) });
  expect(result).toMatchObject({ exit: 0, stderr: '' });
});
