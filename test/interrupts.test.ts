import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn as spawnAtTerminal } from '@lydell/node-pty';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Ended,
  environment,
  folderOf,
  program,
  startProcess,
  temporaryFolder,
} from './support/program.ts';
import { type Seen, scriptedService } from './support/scripted-service.ts';
import { withResolvers } from './support/with-resolvers.ts';

const soonMs = 5_000;

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

async function waitUntilComputed(pid: number, ms: number): Promise<void> {
  const start = ticksOf(pid);
  while (ticksOf(pid) - start < ms / 10) await sleep(20);
}

async function waitUntilIdle(pid: number): Promise<void> {
  for (let [before, now] = [-1, ticksOf(pid)]; before !== now; ) {
    await sleep(300);
    [before, now] = [now, ticksOf(pid)];
  }
}

async function soon(ended: Promise<Ended>): Promise<unknown> {
  const end = ended.then(({ exit, signal }) => signal ?? exit);
  return Promise.race([end, sleep(soonMs, 'still there', { ref: false })]);
}

type Signal = 'SIGINT' | 'SIGTERM';

const endings = { SIGINT: ['SIGINT', 130], SIGTERM: ['SIGTERM', 143] };

const endless = ({ path }: Seen) => {
  const offset = Number(new URL(path, 'http://service').searchParams.get('offset'));
  const data = Array.from({ length: 100 }, (_, index) => ({
    id: `r${offset + index}`,
    error: 'x'.repeat(200),
  }));
  return { body: { data, links: { next: `?offset=${offset + 100}` } } };
};

describe('the first signal ends the program', () => {
  it.each<{ signal: Signal; what: string; args: string[]; unread: 'stdout' | 'stderr'; says?: string }>([
    {
      signal: 'SIGINT',
      what: 'stdout in the midst of a list',
      args: ['runs', '--all', '--ndjson'],
      unread: 'stdout',
      says: '"interrupted"',
    },
    {
      signal: 'SIGTERM',
      what: 'stdout at the end of a list',
      args: ['runs', '--limit', '2000', '--json'],
      unread: 'stdout',
    },
    {
      signal: 'SIGINT',
      what: 'stderr',
      args: ['runs', '--all', '--debug', '--ndjson'],
      unread: 'stderr',
    },
  ])('$signal, while nobody reads $what', async ({ signal, args, unread, says = '' }) => {
    const { promise: asked, resolve: manyAsked } = withResolvers();
    const service = await scriptedService([], (seen) => {
      if (service.requests.length === (unread === 'stderr' ? 40 : 1)) manyAsked();
      return endless(seen);
    });
    const env = { ...service.env, VALS_BASE_URL: `${service.baseUrl}/${'x'.repeat(5_000)}` };
    const { child, ended } = startProcess(args, { env }, unread);
    await asked;
    if (unread !== 'stderr') await waitUntilIdle(child.pid as number);
    child.kill(signal);
    expect(endings[signal]).toContain(await soon(ended));
    expect((await ended).stderr).toContain(says);
  });

  it.each<[Signal, string]>([
    ['SIGTERM', '--ndjson'],
    ['SIGINT', '--color'],
  ])('%s, while a terminal reads no output: %s', async (signal, flag) => {
    const service = await scriptedService([], endless);
    const terminal = spawnAtTerminal(process.execPath, [program, 'runs', '--limit', '2000', flag], {
      cwd: temporaryFolder(),
      env: environment(temporaryFolder(), { TERM: 'xterm', ...service.env }),
    });
    onTestFinished(() => terminal.kill('SIGKILL'));
    const begun = new Promise<void>((shown) =>
      terminal.onData((text) => {
        if (!text.includes('r1')) return;
        terminal.pause();
        shown();
      }),
    );
    await begun;
    await waitUntilIdle(terminal.pid);
    process.kill(terminal.pid, signal);
    // node-pty reports the end of a process only after all output was read, so `isGone` reads /proc.
    const isGone = async () => {
      while (existsSync(`/proc/${terminal.pid}/stat`) && !/\) [ZX] /.test(statOf(terminal.pid)))
        await sleep(20);
      return 'gone';
    };
    expect(await Promise.race([isGone(), sleep(soonMs, 'still there', { ref: false })])).toBe('gone');
  });

  const lines = (count: number, seed: number) =>
    Array.from({ length: count }, (_, index) => `line ${(index * seed) % 4_999}\n`).join('');
  const run = { val: { id: 'v', name: 'hello' }, runStartAt: '2024-01-01T00:00:00Z', error: 'é' };
  const manyRuns = JSON.stringify({
    data: Array.from({ length: 80_000 }, (_, index) => ({ ...run, id: `r${index}` })),
    links: {},
  });
  const digits = `{"id":"x","all":[${'12345678901234567890,'.repeat(300_000)}1]}`;
  const diff = (path: string) =>
    JSON.stringify({ id: 'x', code: lines(250_000, path.endsWith('/1') ? 7 : 9) });
  it.each<{ signal: Signal; what: string; args: string[]; answer: (seen: Seen) => string }>([
    { signal: 'SIGTERM', what: 'numbers are read', args: ['me', '--json'], answer: () => digits },
    { signal: 'SIGINT', what: 'a list is laid out', args: ['runs', '--all'], answer: () => manyRuns },
    {
      signal: 'SIGINT',
      what: 'texts are compared',
      args: ['version', 'diff', '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11', '1', '2'],
      answer: ({ path }) => diff(path),
    },
  ])('$signal, while $what', async ({ signal, args, answer }) => {
    let answers = args.includes('diff') ? 2 : 1;
    const { promise: answered, resolve: allAnswered } = withResolvers();
    const service = await scriptedService([], (seen) => (response) => {
      response.end(answer(seen), () => --answers === 0 && allAnswered());
    });
    const { child, ended } = startProcess(args, { env: service.env });
    await answered;
    await waitUntilComputed(child.pid as number, 200);
    child.kill(signal);
    expect(endings[signal]).toContain(await soon(ended));
  });
});

const statOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return ') X ';
  }
};

it('a program that waits for something that never happens fails', async () => {
  const service = await scriptedService([{ body: { id: 'u' }, headers: { connection: 'close' } }]);
  const folder = folderOf({ 'never.cjs': 'globalThis.setImmediate = () => {};' });
  const { ended } = startProcess(['me'], {
    cwd: folder,
    env: { ...service.env, NODE_OPTIONS: '--require ./never.cjs' },
  });
  const { exit, stdout, stderr } = await ended;
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
  expect(stderr).toContain('waits for something that never happens');
});
