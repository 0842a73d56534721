import type { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { forEach } from '../../../../../src/core/http/request/limiter.ts';
import { budget } from '../../../../support/cases.ts';
import { fastClock } from '../../../../support/fast-clock.ts';
import {
  type Asked,
  type Ending,
  invoke,
  json,
  prepareFaults,
  rawServer,
  response,
  sendAndEnd,
} from './harness.ts';

const files = ['val0.ts', 'val1.ts', 'val2.ts'];
prepareFaults(Object.fromEntries(files.map((file) => [file, `// ${file}`])));
const ids = files.map((_, index) => `4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c1${index}`);

const count = budget(40);
const seed = Number(process.env.FAULTS_SEED ?? 20_261_115);

const writing = {
  'val create': { method: 'POST', most: 1, args: (_count: number) => ['val', 'create', 'val0'] },
  push: { method: 'PUT', most: 3, args: (count: number) => ['push', ...files.slice(0, count)] },
  'val rm': {
    method: 'DELETE',
    most: 3,
    args: (count: number) => ['val', 'rm', ...ids.slice(0, count), '--yes'],
  },
};

/** What the server does with a request, and what it says. Without a step, it does what it should. */
interface Step {
  text: string;
  applies: 'never' | 'now' | 'later';
  leavesDoubt: boolean;
  ending?: Ending;
}

interface Schedule {
  command: keyof typeof writing;
  /** The steps of each val. */
  vals: readonly (readonly (Step | undefined)[])[];
  /** How connections end before a request. */
  doors: readonly (Ending | undefined)[];
  exists: boolean;
}

const refusals = [429, 429, 429, 400, 401, 403, 405, 409, 410, 412, 413, 422, 429, 501];
const doubtful = [408, 500, 502, 503, 503, 504, 507];
const unfinished = ['', 'HTTP/1.1 2', 'HTTP/1.1 200 OK\r\nconte', 'HTTP/1.1 503 No\r\n', 'HTTP/1.1 404'];
const answers = (statuses: number[]) =>
  fc.constantFrom(...statuses).map((status) => response(status, '{"message":"for a reason"}'));

const often = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => ({ weight, arbitrary });
const applies = fc.constantFrom<Step['applies']>('never', 'now', 'later');
const [never, no, yes] = [fc.constant<Step['applies']>('never'), fc.constant(false), fc.constant(true)];
const lost = fc.constantFrom<Ending>('FIN', 'RST');
const ending = fc.oneof(often(8, fc.constant(undefined)), often(1, lost));

const step: fc.Arbitrary<Step | undefined> = fc.oneof(
  often(2, fc.constant(undefined)),
  often(3, fc.record({ text: answers(refusals), applies: never, leavesDoubt: no, ending })),
  often(4, fc.record({ text: answers(doubtful), applies, leavesDoubt: yes, ending })),
  often(5, fc.record({ text: fc.constantFrom(...unfinished), applies, leavesDoubt: yes, ending: lost })),
  often(1, fc.record({ text: fc.constant(''), applies, leavesDoubt: yes })),
  often(
    1,
    fc.constantFrom<Step>(
      { text: response(200, '<html></html>'), applies: 'now', leavesDoubt: false },
      { text: response(200), applies: 'now', leavesDoubt: false },
      { text: response(302, '', ['location: /elsewhere']), applies: 'never', leavesDoubt: false },
    ),
  ),
);

const schedule: fc.Arbitrary<Schedule> = fc
  .constantFrom<Schedule['command']>('val create', 'push', 'val rm')
  .chain((command) =>
    fc.record({
      command: fc.constant(command),
      vals: fc.array(fc.array(step, { maxLength: 5 }), { minLength: 1, maxLength: writing[command].most }),
      doors: fc.oneof(
        often(4, fc.constant([])),
        often(1, fc.array(fc.option(lost, { nil: undefined }), { maxLength: 3 })),
      ),
      exists: fc.integer({ min: 1, max: 6 }).map((drawn) => drawn !== 1),
    }),
  );

function indexOf({ method, path, body }: Asked): number {
  if (method === 'POST') return 0;
  const name: string = method === 'PUT' ? JSON.parse(body).name : path;
  return Number(name.at(-1));
}

/** What the server knows of a val. */
interface Entry {
  steps: (Step | undefined)[];
  requests: number;
  applied: number;
  exists: boolean;
  isDoubtful: boolean;
  askedInDoubt: boolean;
  /** A connection may end between two requests. */
  mayBreak: boolean;
}

/** Returns what is wrong. */
async function judge({ command, vals, doors, exists }: Schedule): Promise<string[]> {
  const { method, args } = writing[command];
  const clock = fastClock();
  const entries = vals.map(
    (steps): Entry => ({
      ...{ steps: [...steps], requests: 0, applied: 0, exists: method === 'DELETE' && exists },
      ...{ isDoubtful: false, askedInDoubt: false },
      mayBreak: doors.length > 0 || vals.some((steps) => steps.some((step) => step?.ending)),
    }),
  );
  const apply = (entry: Entry) => {
    if (method === 'DELETE' && !entry.exists) return;
    entry.exists = method !== 'DELETE';
    entry.applied += 1;
  };
  const good = (entry: Entry) => {
    if (method === 'DELETE') return response(entry.exists ? 204 : 404);
    return response(method === 'POST' ? 201 : 200, json({ id: 'x', version: 1 }));
  };
  const shut = new WeakSet<Socket>();
  const server = await rawServer(clock, {
    accepted(socket, index) {
      const door = doors[index];
      if (door === undefined) return;
      shut.add(socket);
      sendAndEnd(socket, '', door, clock);
    },
    asked(socket, _count, request) {
      const entry = entries[indexOf(request)];
      if (entry === undefined) return;
      entry.requests += 1;
      entry.askedInDoubt ||= entry.isDoubtful;
      const silent: Step = { text: '', applies: 'now', leavesDoubt: true };
      const planned = shut.has(socket) ? silent : entry.steps.shift();
      const { text, applies, leavesDoubt, ending }: Step = planned ?? {
        text: good(entry),
        applies: 'now',
        leavesDoubt: false,
      };
      // A val that is made later than its answer is made at once, because the next request comes sooner.
      if (applies === 'later' && method === 'DELETE') clock.after(600, () => apply(entry));
      else if (applies !== 'never') apply(entry);
      entry.isDoubtful ||= leavesDoubt;
      if (ending) sendAndEnd(socket, text, ending, clock);
      else socket.write(text, 'latin1');
    },
  });
  const { exit, stdout, stderr } = await invoke([...args(vals.length), '--json', '--timeout', '30'], {
    ...{ baseUrl: server.baseUrl, clock, terminal: false, input: 'code', patienceMs: 300_000 },
  });
  await new Promise<void>((resolve) => clock.after(1_200, resolve));
  await server.close();

  expect(server.requests.filter((request) => request.method !== method)).toEqual([]);
  const rows: { status?: string; error?: { exit: number } }[] = JSON.parse(
    method !== 'POST' ? stdout : exit === 0 ? '[{}]' : `[${stderr}]`,
  );
  expect(rows).toHaveLength(vals.length);
  const exits = rows.map(({ status, error }) => (status === 'skipped' ? status : (error?.exit ?? 0)));
  const different = new Set(exits.filter((each) => each !== 'skipped'));
  expect(exit).toBe(different.size === 1 ? [...different][0] : 9);
  return entries.flatMap((entry, index) => wrongIn(method, entry, exits[index] ?? 'skipped'));
}

function wrongIn(method: string, entry: Entry, exit: number | 'skipped'): string[] {
  const { applied, requests, isDoubtful, askedInDoubt, mayBreak } = entry;
  const isPost = method === 'POST';
  const isDone = isPost ? applied === 1 : entry.exists === (method === 'PUT');
  const rules: [isBroken: boolean, problem: string][] = [
    [isPost && applied > 1, `applied ${applied} times`],
    [isPost && askedInDoubt, 'sent again though it may have been applied'],
    [exit === 'skipped' && requests > 0, 'skipped, but sent'],
    [exit === 0 && !isDone, 'exit 0, but not done'],
    [Number(exit) >= 3 && Number(exit) <= 7 && applied > 0, `exit ${exit}, but something was changed`],
    [isDoubtful && exit !== 0 && exit !== 8, `exit ${exit}, but nobody can know`],
    [exit === 8 && !isDoubtful && !mayBreak, 'exit 8, but nothing was in doubt'],
    [!['skipped', 0, 3, 4, 5, 6, 7, 8, 11].includes(exit), `there is no exit ${exit}`],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
}

it(`exit 0 means done, exit 7 means not done, and nothing is done twice (${count} cases)`, async () => {
  const table: string[] = [];
  const schedules = fc.sample(schedule, { numRuns: count, seed });
  await forEach(schedules, 40, async (schedule) => {
    const wrong = await judge(schedule).catch((error) => [String(error)]);
    if (wrong.length > 0) table.push(`${wrong.join(' | ')} | ${JSON.stringify(schedule)}`);
  });
  expect(table, `FAULTS_SEED=${seed}`).toEqual([]);
  for (const command of Object.keys(writing)) {
    const drawn = schedules.filter((schedule) => schedule.command === command);
    expect(drawn.length, command).toBeGreaterThan(count / 10);
  }
});
