import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { forEach } from '../src/core/http/request/limiter.ts';
import { isLong } from './support/cases.ts';
import {
  type Ended,
  exitStatus,
  folderOf,
  folderOfVals,
  shellAtTerminal,
  startProcess,
  temporaryFolder,
  untilIdle,
} from './support/program.ts';
import { type Reply, type Seen, scriptedService } from './support/scripted-service.ts';
import { type ErrorObject, errorIn, exits, isGone, oneOf, type Signal } from './support/signals.ts';
import { withResolvers } from './support/with-resolvers.ts';

type Moment = { ms: number } | { asked: number } | { answered: number };

interface Torture {
  args: readonly string[];
  signal: Signal;
  cwd?: string;
  answer: (seen: Seen) => { status?: number; body: unknown };
  requests: number;
  /** Whether the signal also comes while the program starts. */
  isStarted?: boolean;
  check: (ended: Ended & { moment: Moment; received: Seen[] }) => void;
}

function momentsOf(requests: number, isStarted: boolean): Moment[] {
  const all = Array.from({ length: requests }, (_, index) => index + 1);
  const counts = isLong ? all : [...new Set([1, requests])];
  const starts = isLong ? Array.from({ length: 15 }, (_, index) => 15 * index) : isStarted ? [45] : [];
  return [
    ...starts.map((ms) => ({ ms })),
    ...counts.flatMap((count) => [{ asked: count }, { answered: count }]),
  ];
}

async function atEveryMoment(torture: Torture): Promise<void> {
  const { args, signal, cwd = temporaryFolder(), answer, requests, isStarted = false, check } = torture;
  const exit = exits[signal];
  await forEach(momentsOf(requests, isStarted), 5, async (moment) => {
    let asked = 0;
    let answered = 0;
    const service = await scriptedService([], (seen) => (response) => {
      asked += 1;
      if ('asked' in moment && asked >= moment.asked) {
        if (asked === moment.asked) child.kill(signal);
        return;
      }
      const { status = 200, body } = answer(seen);
      response.writeHead(status).end(JSON.stringify(body), () => {
        answered += 1;
        if ('answered' in moment && answered === moment.answered) child.kill(signal);
      });
    });
    const { child, ended } = startProcess(args, { env: service.env, cwd });
    if ('ms' in moment) {
      await sleep(moment.ms);
      child.kill(signal);
    }
    const end = await ended;
    const context = { args, moment, ...end };
    // esbuild ends when it notices that vals is gone.
    await expect.poll(() => isGone(child), { message: 'no process is left', interval: 5 }).toBe(true);
    expect(end.stderr).not.toMatch(/\n\s+at |node:internal|Unexpected/);
    const done = end.exit === 0 || (end.signal === signal && end.stdout !== '');
    if ('asked' in moment) expect(context).toMatchObject({ exit });
    if (done) {
      expect(end.stderr).toBe('');
      check({ ...end, exit: 0, moment, received: service.requests });
    } else if (end.signal !== null) {
      const written = service.requests.filter(({ method }) => method !== 'GET');
      expect({ ...context, written }).toMatchObject({ signal, stderr: '', written: [] });
    } else {
      const error = { kind: 'interrupted', exit };
      expect({ ...context, error: errorIn(end.stderr) }).toMatchObject({ exit, error });
      check({ ...end, moment, received: service.requests });
    }
  });
}

const hide = '\u001b[?25l';
const show = '\u001b[?25h';

it.each(oneOf('SIGTERM'))('%s at any moment of a long list leaves whole lines, in order', async (signal) => {
  const size = 25;
  const ids = Array.from({ length: 4 * size }, (_, index) => `r${index}`);
  const partly: number[] = [];
  await atEveryMoment({
    args: ['runs', '--all', '--ndjson'],
    signal,
    isStarted: true,
    answer: ({ path }) => {
      const offset = Number(new URL(path, 'http://service').searchParams.get('offset'));
      const data = ids.slice(offset, offset + size).map((id) => ({ id, error: 'x'.repeat(500) }));
      const next = offset + size < ids.length && { next: `?offset=${offset + size}` };
      return { body: { data, links: { ...next } } };
    },
    requests: 4,
    check({ exit, stdout }) {
      const lines = stdout.split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids.slice(0, lines.length));
      if (exit === 0) expect(lines).toHaveLength(ids.length);
      else if (lines.length > 0) partly.push(lines.length);
    },
  });
  expect(partly.length).toBeGreaterThan(0);
});

it.each(oneOf('SIGINT'))(
  '%s at any moment of a write is reported correctly as done, not begun or unknown',
  async (signal) => {
    let unknown = 0;
    await atEveryMoment({
      args: ['version', 'new', '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11', 'code.ts', '--json'],
      signal,
      cwd: folderOf({ 'code.ts': 'code' }),
      answer: () => ({ status: 201, body: { id: 'x', version: 2 } }),
      requests: 1,
      check({ exit, stdout, stderr, received }) {
        expect(stdout).toBe(exit === 0 ? '{"id":"x","version":2}\n' : '');
        expect(received.length).toBeLessThanOrEqual(1);
        if (exit === 0 || received.length === 0) return;
        unknown += 1;
        expect(errorIn(stderr).message).toContain('not known');
      },
    });
    expect(unknown).toBeGreaterThan(0);
  },
);

it.each(oneOf('SIGTERM'))('%s at any moment of a push reports no sent val as skipped', async (signal) => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const nameIn = ({ body }: Seen): string => JSON.parse(body).name;
  const seenStatuses = new Set<string>();
  await atEveryMoment({
    args: ['push', '.', '--json', '--concurrency', '2'],
    signal,
    cwd: folderOfVals(names),
    answer: (seen) => ({ status: 201, body: { id: nameIn(seen), version: 1 } }),
    requests: names.length,
    check({ stdout, received, moment, exit }) {
      const sent = new Set(received.map(nameIn));
      if (stdout === '') return expect({ moment, sent }).toEqual({ moment, sent: new Set() });
      const outcomes = JSON.parse(stdout) as { name: string; status: string; error?: ErrorObject }[];
      expect(outcomes.map(({ name }) => name)).toEqual(names);
      for (const { name, status, error } of outcomes) {
        seenStatuses.add(status);
        if (exit === 0) expect(status).toBe('created');
        if (status === 'created') expect(sent.has(name)).toBe(true);
        if (status === 'failed') expect(error?.message).toContain('not known');
        if (sent.has(name)) expect({ moment, name, status }).not.toMatchObject({ status: 'skipped' });
      }
    },
  });
  expect([...seenStatuses].toSorted()).toEqual(['created', 'failed', 'skipped']);
});

/** Starts `vals` in a shell at a terminal. The shell prints the status afterwards. */
async function atTerminal(command: string, env: Record<string, string>, home: string) {
  const script = `(echo "pid $BASHPID."; exec $vals ${command}); echo "exit $?."; stty -a`;
  const screen = shellAtTerminal(script, env, home);
  await screen.shows(/pid \d+\./);
  const pid = Number(/pid (\d+)\./.exec(screen.text())?.[1]);
  const end = async () => {
    await screen.ended;
    const text = screen.text();
    expect(text).not.toMatch(/\n\s+at |Unexpected/);
    const isCursorShown = text.lastIndexOf(hide) <= text.lastIndexOf(show);
    const keysAreEchoed = /[^-]icanon/.test(text) && /[^-]echo /.test(text);
    return { text, status: Number(/exit (\d+)\./.exec(text)?.[1]), isCursorShown, keysAreEchoed };
  };
  return { screen, pid, end };
}

it.each(oneOf('SIGINT'))(
  '%s at the prompt of a sign-in restores the terminal, and stores nothing',
  async (signal) => {
    const service = await scriptedService([]);
    const home = temporaryFolder();
    const { screen, pid, end } = await atTerminal(`login --base-url ${service.baseUrl}`, {}, home);
    await screen.shows(/Token for/);
    process.kill(pid, signal);
    expect(await end()).toMatchObject({ status: exits[signal], isCursorShown: true, keysAreEchoed: true });
    expect(existsSync(join(home, '.config', 'vals', 'config.json'))).toBe(false);
    expect(service.requests).toEqual([]);
  },
);

it.each(oneOf('SIGTERM'))(
  '%s twice while the spinner turns restores the cursor and is reported',
  async (signal) => {
    const service = await scriptedService([], () => () => {});
    const { screen, pid, end } = await atTerminal('me', service.env, temporaryFolder());
    await screen.shows(hide);
    process.kill(pid, signal);
    await new Promise(setImmediate);
    try {
      process.kill(pid, signal);
    } catch {
      // The program has already ended, so the second signal is not needed.
    }
    const text = expect.stringContaining('Interrupted.');
    expect(await end()).toMatchObject({ status: exits[signal], isCursorShown: true, text });
  },
);

const endless = ({ path }: Seen): Reply => {
  const offset = Number(new URL(path, 'http://service').searchParams.get('offset'));
  const data = Array.from({ length: 100 }, (_, index) => ({ id: offset + index, error: 'x'.repeat(200) }));
  return { body: { data, links: { next: `?offset=${offset + 100}` } } };
};

it.each<[signal: Signal, what: string, args: string[], unread: 'stdout' | 'stderr', says: string]>([
  ['SIGINT', 'stdout in the midst of a list', ['--all', '--ndjson'], 'stdout', '"interrupted"'],
  ['SIGTERM', 'stdout at the end of a list', ['--limit', '2000', '--json'], 'stdout', ''],
  ['SIGINT', 'stderr', ['--all', '--debug', '--ndjson'], 'stderr', ''],
])('%s ends the program while nobody reads %s', async (signal, _what, args, unread, says) => {
  const { promise: asked, resolve: manyAsked } = withResolvers();
  const service = await scriptedService([], (seen) => {
    if (service.requests.length === (unread === 'stderr' ? 40 : 1)) manyAsked();
    return endless(seen);
  });
  const env = { ...service.env, VALS_BASE_URL: `${service.baseUrl}/${'x'.repeat(5_000)}` };
  const { child, ended } = startProcess(['runs', ...args], { env }, unread);
  await asked;
  if (unread !== 'stderr') await untilIdle(child.pid as number);
  child.kill(signal);
  const end = await ended;
  expect(exitStatus(end.exit, end.signal)).toBe(exits[signal]);
  expect(end.stderr).toContain(says);
});

it('a program that waits for something that never happens fails', async () => {
  const service = await scriptedService([{ body: { id: 'u' }, headers: { connection: 'close' } }]);
  const cwd = folderOf({ 'never.cjs': 'globalThis.setImmediate = () => {};' });
  const env = { ...service.env, NODE_OPTIONS: '--require ./never.cjs' };
  const { exit, stdout, stderr } = await startProcess(['me'], { cwd, env }).ended;
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
  expect(stderr).toContain('waits for something that never happens');
});
