import type { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forEach } from '../../../../../src/core/http/for-each.ts';
import { budget } from '../../../../support/cases.ts';
import {
  type Asked,
  type Ending,
  type FastClock,
  fastClock,
  invoke,
  json,
  keptFile,
  prepareFaults,
  rawServer,
  response,
  sendAndEnd,
} from './harness.ts';
import { exitAfter, type Meeting } from './model.ts';

prepareFaults();

const count = budget(40);
const seed = Number(process.env.FAULTS_SEED ?? 20_261_115);

type Method = 'POST' | 'PUT' | 'DELETE';

type Applies = 'never' | 'now' | 'later';

type Step =
  | { kind: 'good' }
  | { kind: 'status'; status: number; applies: Applies; then: 'keep' | Ending }
  | { kind: 'lost'; said: string; ending: Ending; applies: Applies }
  | { kind: 'silence'; applies: Applies }
  | { kind: 'page' | 'empty' }
  | { kind: 'redirect' };

interface Schedule {
  command: keyof typeof writing;
  items: readonly (readonly Step[])[];
  doors: readonly ('open' | Ending)[];
  exists: boolean;
  hangsUp: boolean;
}

const files = [0, 1, 2].map((index) => keptFile(`val${index}.ts`, `export default ${index}`));
const ids = [0, 1, 2].map((index) => `4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c1${index}`);

const writing = {
  'val create': { method: 'POST', most: 1, args: () => ['val', 'create', 'val0'] },
  push: { method: 'PUT', most: 3, args: (items: number) => ['push', ...files.slice(0, items)] },
  'val rm': {
    method: 'DELETE',
    most: 3,
    args: (items: number) => ['val', 'rm', ...ids.slice(0, items), '--yes'],
  },
} as const satisfies Record<string, { method: Method; most: number; args(items: number): string[] }>;

const untouched = [400, 401, 403, 405, 409, 410, 412, 413, 422, 429, 501, 503];
const doubtful = [408, 500, 502, 504, 507];

const applies = fc.constantFrom<Applies>('never', 'now', 'later');
const ending = fc.constantFrom<Ending>('FIN', 'RST');
const then = fc.constantFrom<'keep' | Ending>('keep', 'FIN', 'RST');
const said = fc.constantFrom(
  ...['', 'HTTP/1.1 2', 'HTTP/1.1 200 OK\r\nconte', 'HTTP/1.1 503 No\r\n', 'HTTP/1.1 404'],
);
const statusOf = (statuses: number[], whetherApplied: fc.Arbitrary<Applies>): fc.Arbitrary<Step> =>
  fc.record({
    kind: fc.constant('status'),
    status: fc.constantFrom(...statuses),
    applies: whetherApplied,
    then,
  });
const often = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => ({ weight, arbitrary });

const stepOf: fc.Arbitrary<Step> = fc.oneof(
  often(2, fc.constant<Step>({ kind: 'good' })),
  often(3, statusOf([429, 503, 429, 503, ...untouched], fc.constant('never'))),
  often(4, statusOf(doubtful, applies)),
  often(5, fc.record({ kind: fc.constant('lost'), said, ending, applies })),
  often(1, fc.record({ kind: fc.constant('silence'), applies })),
  often(1, fc.constantFrom<Step>({ kind: 'page' }, { kind: 'empty' }, { kind: 'redirect' })),
);

const oneIn = (many: number) => fc.integer({ min: 1, max: many }).map((drawn) => drawn === 1);
const door = fc.constantFrom<'open' | Ending>('open', 'FIN', 'RST');

const scheduleOf: fc.Arbitrary<Schedule> = fc
  .constantFrom(...(Object.keys(writing) as (keyof typeof writing)[]))
  .chain((command) =>
    fc.record({
      command: fc.constant(command),
      items: fc.array(fc.array(stepOf, { maxLength: 5 }), { minLength: 1, maxLength: writing[command].most }),
      doors: fc.oneof(often(4, fc.constant([])), often(1, fc.array(door, { maxLength: 3 }))),
      exists: oneIn(6).map((absent) => !absent),
      hangsUp: oneIn(5),
    }),
  );

interface Entry {
  steps: readonly Step[];
  requests: number;
  applied: number;
  exists: boolean;
  doubtful: boolean;
  afterDoubt: number;
}

const entryIndex = ({ method, path, body }: Asked): number => {
  if (method === 'POST') return 0;
  const name = method === 'PUT' ? String(JSON.parse(body).name) : (path.split('/').at(-1) ?? '');
  return Number(name.at(-1));
};

function apply(method: Method, entry: Entry): void {
  if (method === 'DELETE' && !entry.exists) return;
  entry.exists = method !== 'DELETE';
  entry.applied += 1;
}

function act(method: Method, entry: Entry, step: Step, clock: FastClock): { text: string; ending?: Ending } {
  if ('applies' in step && step.applies !== 'never') {
    if (step.applies === 'now' || method !== 'DELETE') apply(method, entry);
    else clock.after(600, () => apply(method, entry));
  }
  switch (step.kind) {
    case 'good': {
      if (method === 'DELETE' && !entry.exists) return { text: response(404) };
      apply(method, entry);
      if (method === 'DELETE') return { text: response(204) };
      return { text: response(method === 'POST' ? 201 : 200, json({ id: 'x', version: 1 })) };
    }
    case 'status':
      if (doubtful.includes(step.status)) entry.doubtful = true;
      return {
        text: response(step.status, json({ message: 'for a reason' })),
        ...(step.then !== 'keep' && { ending: step.then }),
      };
    case 'lost':
      entry.doubtful = true;
      return { text: step.said, ending: step.ending };
    case 'silence':
      entry.doubtful = true;
      return { text: '' };
    case 'page':
    case 'empty':
      apply(method, entry);
      return { text: response(200, step.kind === 'page' ? '<html></html>' : '') };
    case 'redirect':
      return { text: response(302, '', ['location: /elsewhere']) };
  }
}

interface Outcome {
  exit: number | 'skipped';
}

async function judge(schedule: Schedule): Promise<string[]> {
  const { command, items, doors, exists, hangsUp } = schedule;
  const { method, args } = writing[command];
  const clock = fastClock();
  const ledger = items.map(
    (steps): Entry => ({
      steps,
      requests: 0,
      applied: 0,
      exists: method === 'DELETE' && exists,
      doubtful: false,
      afterDoubt: 0,
    }),
  );
  const shut = new WeakSet<Socket>();
  const unknown: string[] = [];
  const server = await rawServer(clock, {
    accepted(socket, index) {
      const door = doors[index] ?? 'open';
      if (door === 'open') return;
      shut.add(socket);
      sendAndEnd(socket, '', door, clock);
    },
    asked(socket, _count, request) {
      const entry = ledger[entryIndex(request)];
      if (entry === undefined || request.method !== method) {
        unknown.push(`${request.method} ${request.path}`);
        return;
      }
      if (entry.doubtful) entry.afterDoubt += 1;
      if (shut.has(socket)) {
        entry.doubtful = true;
        apply(method, entry);
        return;
      }
      const step = entry.steps[entry.requests] ?? { kind: 'good' };
      entry.requests += 1;
      const { text, ending } = act(method, entry, step, clock);
      if (ending !== undefined && (hangsUp || step.kind === 'lost')) sendAndEnd(socket, text, ending, clock);
      else socket.write(text, 'latin1');
    },
  });
  const result = await invoke([...args(items.length), '--json', '--timeout', '30'], {
    baseUrl: server.baseUrl,
    clock,
    terminal: false,
    input: 'export default 0',
    patienceMs: 300_000,
  });
  await new Promise<void>((resolve) => clock.after(1_200, resolve));
  await server.close();

  const wrong = unknown.map((request) => `unknown request ${request}`);
  const { exit, stdout, stderr } = result;
  if (typeof exit === 'string') return [...wrong, exit];
  const outcomes = outcomesOf(method, exit, stdout, stderr);
  if (outcomes?.length !== items.length)
    return [...wrong, `exit ${exit}, stdout ${stdout}, stderr ${stderr}`];
  const unsteady = hangsUp || doors.length > 0;
  for (const [index, entry] of ledger.entries()) {
    const outcome = outcomes[index] as Outcome;
    const problems = wrongOutcome(method, entry, outcome, unsteady);
    const predicted = unsteady ? undefined : predict(method, entry.steps, exists);
    if (predicted !== undefined && outcome.exit !== 'skipped' && outcome.exit !== predicted) {
      problems.push(`the contract leads to ${predicted}`);
    }
    wrong.push(...problems.map((problem) => `item ${index}: exit ${outcome.exit}, but ${problem}`));
  }
  // A token that is not accepted concerns all vals. A 403 is about one val.
  const isAboutToken = ({ steps, requests }: Entry) => {
    const last = steps[requests - 1];
    return last?.kind === 'status' && last.status === 401;
  };
  const refused = ledger.findIndex(isAboutToken);
  const skipped = outcomes.findIndex(({ exit }) => exit === 'skipped');
  const stop = refused !== -1 && refused < items.length - 1 ? refused + 1 : -1;
  // A connection that is reset before it carries a request concerns all vals, too.
  const isExpected = skipped === stop || (unsteady && stop === -1);
  if (command === 'val rm' && !isExpected) wrong.push(`skipped from ${skipped}, not from ${stop}`);
  const total = totalExit(outcomes);
  if (exit !== total) wrong.push(`exit ${exit} of all, not ${total}`);
  return wrong;
}

function wrongOutcome(method: Method, entry: Entry, { exit }: Outcome, unsteady: boolean): string[] {
  const { applied, requests } = entry;
  const wrong: string[] = [];
  if (method === 'POST' && applied > 1) wrong.push(`applied ${applied} times`);
  if (method === 'POST' && entry.afterDoubt > 0) wrong.push('sent again though it may have been applied');
  if (exit === 'skipped') return requests > 0 ? [...wrong, 'it was sent'] : wrong;
  const isDone = method === 'POST' ? applied === 1 : method === 'PUT' ? entry.exists : !entry.exists;
  if (exit === 0 && !isDone) wrong.push('it was not done');
  if (exit >= 3 && exit <= 7 && applied > 0) wrong.push('something was changed');
  if (exit === 8 && !entry.doubtful && !unsteady) wrong.push('nothing was in doubt');
  if (![0, 3, 4, 5, 6, 7, 8, 11].includes(exit)) wrong.push('there is no such exit');
  return wrong;
}

function predict(method: Method, steps: readonly Step[], exists: boolean): number | undefined {
  if (steps.some(({ kind }) => kind === 'silence')) return undefined;
  const isAbsent = method === 'DELETE' && !exists;
  return exitAfter({ method, reads: 'what there is' }, steps.map(meetingOf), { isAbsent });
}

function meetingOf(step: Step): Meeting | undefined {
  switch (step.kind) {
    case 'good':
      return undefined;
    case 'status':
      return { kind: 'status', status: step.status };
    case 'lost':
      return { kind: 'hung up', taken: 'yes' };
    case 'silence':
      return { kind: 'silence', begun: false };
    case 'page':
      return { kind: 'not JSON' };
    case 'empty':
    case 'redirect':
      return { kind: step.kind };
  }
}

interface Printed {
  status: string;
  error?: { exit: number };
}

function outcomesOf(method: Method, exit: number, stdout: string, stderr: string): Outcome[] | undefined {
  try {
    const errorOf = ({ exit }: { exit: number }): Outcome => ({ exit });
    if (method === 'POST') {
      if (exit !== 0) return stdout === '' ? [errorOf(JSON.parse(stderr.trim()).error)] : undefined;
      JSON.parse(stdout);
      return [{ exit }];
    }
    return (JSON.parse(stdout) as Printed[]).map(({ status, error }) => {
      if (error) return errorOf(error);
      return { exit: status === 'skipped' ? 'skipped' : 0 };
    });
  } catch {
    return undefined;
  }
}

function totalExit(outcomes: readonly Outcome[]): number {
  const exits = new Set(outcomes.map(({ exit }) => exit));
  exits.delete('skipped');
  const [first] = exits;
  return exits.size === 1 ? Number(first) : 9;
}

describe('random sequences of faults', () => {
  it(`exit 0 means done, exit 7 means not done, and nothing is done twice (${count} cases)`, async () => {
    const table: string[] = [];
    const schedules = fc.sample(scheduleOf, { numRuns: count, seed });
    await forEach(schedules, 40, async (schedule) => {
      const wrong = await judge(schedule);
      if (wrong.length > 0) table.push(`${wrong.join(' | ')} | ${JSON.stringify(schedule)}`);
    });
    expect(table, `FAULTS_SEED=${seed}`).toEqual([]);
    for (const command of Object.keys(writing)) {
      const drawn = schedules.filter((schedule) => schedule.command === command);
      expect(drawn.length, command).toBeGreaterThan(count / 10);
    }
  });
});
