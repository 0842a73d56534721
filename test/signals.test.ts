import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { isLong } from './support/cases.ts';
import { embeddedService } from './support/embedded-service.ts';
import {
  type Ended,
  folderOf,
  folderOfVals,
  shellAtTerminal,
  startProcess,
  temporaryFolder,
} from './support/program.ts';
import { type Reply, type Seen, scriptedService } from './support/scripted-service.ts';

type Signal = 'SIGINT' | 'SIGTERM';
const interrupted: [Signal, number] = ['SIGINT', 130];
const terminated: [Signal, number] = ['SIGTERM', 143];
const signals = [interrupted, terminated];
const oneOf = (one: [Signal, number]) => (isLong ? signals : [one]);

function isGone(group: ChildProcess): boolean {
  try {
    process.kill(-(group.pid ?? 0), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function refusal(baseUrl: string): Promise<string | undefined> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  try {
    return await new Promise((decided) => {
      socket.once('connect', () => decided(undefined));
      socket.once('error', (error: NodeJS.ErrnoException) => decided(error.code));
    });
  } finally {
    socket.destroy();
  }
}

interface ErrorObject {
  kind: string;
  exit: number;
  message: string;
}

const errorIn = (stderr: string): ErrorObject =>
  (JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as { error: ErrorObject }).error;

type Moment = { ms: number } | { asked: number } | { answered: number };

interface Torture {
  args: readonly string[];
  signal: Signal;
  exit: number;
  cwd?: string;
  answer: (seen: Seen) => Reply;
  requests: number;
  isStarted?: boolean;
  check: (ended: Ended & { moment: Moment; received: Seen[] }) => void;
}

const startMoments = (isLong ? Array.from({ length: 15 }, (_, index) => 15 * index) : [0, 45]).map((ms) => ({
  ms,
}));

function momentsOf(requests: number, isStarted: boolean): Moment[] {
  const counts = Array.from({ length: requests }, (_, index) => index + 1).filter(
    (count) => isLong || count === 1 || count === requests,
  );
  return [
    ...(isStarted || isLong ? startMoments : []),
    ...counts.flatMap((count) => [{ asked: count }, { answered: count }]),
  ];
}

async function atEveryMoment(torture: Torture): Promise<void> {
  const { args, signal, exit, cwd, answer, requests, isStarted = false, check } = torture;
  const folder = cwd ?? temporaryFolder();
  for (const moment of momentsOf(requests, isStarted)) {
    let asked = 0;
    let answered = 0;
    const service = await scriptedService([], (seen) => (response) => {
      asked += 1;
      if ('asked' in moment && asked >= moment.asked) {
        // The test uses `===` to send only one signal, because a second signal would end the program at once.
        if (asked === moment.asked) child.kill(signal);
        return;
      }
      const { status = 200, body } = answer(seen) as { status?: number; body?: unknown };
      response.writeHead(status).end(JSON.stringify(body), () => {
        answered += 1;
        if ('answered' in moment && answered === moment.answered) child.kill(signal);
      });
    });
    const { child, ended } = startProcess(args, { env: service.env, cwd: folder });
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
      expect({ ...context, error: errorIn(end.stderr) }).toMatchObject({
        exit,
        error: { kind: 'interrupted', exit },
      });
      check({ ...end, moment, received: service.requests });
    }
  }
}

const hide = '\u001b[?25l';
const show = '\u001b[?25h';

it.each(signals)('%s at any moment of a read leaves the whole record or no output', async (signal, exit) => {
  const me = { id: '1', username: 'ada' };
  await atEveryMoment({
    args: ['me', '--json'],
    signal,
    exit,
    answer: () => ({ body: me }),
    requests: 1,
    isStarted: true,
    check: ({ exit, stdout }) => expect(stdout).toBe(exit === 0 ? `${JSON.stringify(me)}\n` : ''),
  });
});

it.each(oneOf(terminated))(
  '%s at any moment of a long list leaves whole lines, in order',
  async (signal, exit) => {
    const pages = 8;
    const size = 25;
    const ids = Array.from({ length: pages * size }, (_, index) => `r${index}`);
    const partly: number[] = [];
    await atEveryMoment({
      args: ['runs', '--all', '--ndjson'],
      signal,
      exit,
      answer: ({ path }) => {
        const offset = Number(new URL(path, 'http://service').searchParams.get('offset'));
        const rows = ids.slice(offset, offset + size).map((id) => ({ id, error: 'x'.repeat(500) }));
        const next = offset + size < ids.length && { next: `?offset=${offset + size}` };
        return { body: { data: rows, links: { ...next } } };
      },
      requests: pages,
      check({ exit, stdout }) {
        if (stdout !== '') expect(stdout.endsWith('\n')).toBe(true);
        const lines = stdout.split('\n').slice(0, -1);
        expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
          ids.slice(0, lines.length),
        );
        if (exit === 0) expect(lines).toHaveLength(ids.length);
        else if (lines.length > 0) partly.push(lines.length);
      },
    });
    expect(partly.length).toBeGreaterThan(0);
  },
);

it.each(oneOf(interrupted))(
  '%s at any moment of a write is reported correctly as done, not begun or unknown',
  async (signal, exit) => {
    const folder = folderOf({ 'code.ts': 'code' });
    let unknown = 0;
    await atEveryMoment({
      args: ['version', 'new', '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11', 'code.ts', '--json'],
      signal,
      exit,
      cwd: folder,
      answer: () => ({ status: 201, body: { id: 'x', version: 2 } }),
      requests: 1,
      check({ exit, stdout, stderr, received, moment }) {
        expect(stdout).toBe(exit === 0 ? '{"id":"x","version":2}\n' : '');
        if (exit === 0) return;
        const { message } = errorIn(stderr);
        if (received.length > 0) {
          unknown += 1;
          expect({ moment, message }).toEqual({ moment, message: expect.stringContaining('not known') });
        }
        expect(received.length).toBeLessThanOrEqual(1);
      },
    });
    expect(unknown).toBeGreaterThan(0);
  },
);

it.each(oneOf(terminated))(
  '%s at any moment of a push reports no sent val as skipped',
  async (signal, exit) => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const folder = folderOfVals(names);
    const seenStatuses = new Set<string>();
    await atEveryMoment({
      args: ['push', '.', '--json', '--concurrency', '2'],
      signal,
      exit,
      cwd: folder,
      answer: ({ body }) => ({
        status: 201,
        body: { id: (JSON.parse(body) as { name: string }).name, version: 1 },
      }),
      requests: names.length,
      check({ stdout, received, moment, exit }) {
        if (stdout === '') {
          expect({ moment, received }).toEqual({ moment, received: [] });
          return;
        }
        const outcomes = JSON.parse(stdout) as { name: string; status: string; error?: ErrorObject }[];
        expect(outcomes.map(({ name }) => name)).toEqual(names);
        const sent = new Set(received.map(({ body }) => (JSON.parse(body) as { name: string }).name));
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
  },
);

it.each(signals)(
  '%s at any moment of serve leaves its address or no output, and a free port',
  async (signal) => {
    const folder = temporaryFolder();
    let served = 0;
    for (const moment of [...startMoments.slice(1), 'served']) {
      const args = ['serve', '--port', '0', '--json', '--data', join(folder, 'vals.db')];
      const { child, ended } = startProcess(args, { cwd: folder });
      if (typeof moment === 'object') await sleep(moment.ms);
      else await once(child.stdout as Readable, 'data');
      child.kill(signal);
      const end = await ended;
      const context = { moment, ...end };
      await expect.poll(() => isGone(child), { interval: 10 }).toBe(true);
      expect(end.stderr).not.toMatch(/\n\s+at |Unexpected/);
      if (end.signal !== null) {
        expect(context).toMatchObject({ signal, stdout: '', stderr: '' });
        continue;
      }
      expect(context).toMatchObject({ exit: signal === 'SIGTERM' ? 0 : 130 });
      if (signal === 'SIGINT') expect(errorIn(end.stderr)).toMatchObject({ kind: 'interrupted', exit: 130 });
      if (end.stdout === '') continue;
      served += 1;
      expect(end.stdout.split('\n')).toHaveLength(2);
      const { baseUrl } = JSON.parse(end.stdout) as { baseUrl: string };
      expect(await refusal(baseUrl)).toBe('ECONNREFUSED');
    }
    expect(served).toBeGreaterThan(0);
  },
);

it.each(oneOf(interrupted))(
  '%s at any moment of a sign-in at a prompt restores the terminal, and stores nothing',
  async (signal, exit) => {
    const service = await scriptedService([]);
    let asked = 0;
    for (const moment of [...startMoments.slice(1), 'asked']) {
      const home = temporaryFolder();
      const script = `(echo "pid $BASHPID."; exec $vals login --base-url ${service.baseUrl}); echo "exit $?."; stty -a`;
      const screen = shellAtTerminal(script, {}, home);
      await screen.shows(/pid \d+\./);
      const pid = Number(/pid (\d+)\./.exec(screen.text())?.[1]);
      if (typeof moment === 'object') await sleep(moment.ms);
      else await screen.shows(/Token for/);
      process.kill(pid, signal);
      await screen.ended;
      const text = screen.text();
      const status = Number(/exit (\d+)\./.exec(text)?.[1]);
      expect({ moment, status, text }).toMatchObject({ status: exit });
      expect(text).not.toMatch(/\n\s+at |Unexpected/);
      expect(text).toMatch(/[^-]icanon/);
      expect(text).toMatch(/[^-]echo /);
      expect(text.lastIndexOf(hide)).toBeLessThanOrEqual(text.lastIndexOf(show));
      expect(existsSync(join(home, '.config', 'vals', 'config.json'))).toBe(false);
      if (text.includes('Token for')) asked += 1;
    }
    expect(asked).toBeGreaterThan(0);
    expect(service.requests).toEqual([]);
  },
);

const gaps = isLong ? [0, 1, 3, 10, 30] : [0, 1];
const twice = gaps.flatMap((gap, index) =>
  (isLong ? signals : signals.slice(index, index + 1)).map(([signal, exit]) => ({ gap, signal, exit })),
);
it.each(twice)(
  '$signal twice, $gap ms apart, while the spinner turns, restores the cursor and is reported',
  async ({ gap, signal, exit }) => {
    const service = await scriptedService([], () => () => {});
    const script = '(echo "pid $BASHPID."; exec $vals me); echo "exit $?."';
    const screen = shellAtTerminal(script, service.env);
    await screen.shows(hide);
    const pid = Number(/pid (\d+)\./.exec(screen.text())?.[1]);
    process.kill(pid, signal);
    await sleep(gap);
    try {
      process.kill(pid, signal);
    } catch {
      // The program has already ended, so the second signal is not needed.
    }
    await screen.ended;
    const text = screen.text();
    expect(Number(/exit (\d+)\./.exec(text)?.[1])).toBe(exit);
    expect({ gap, text, cursor: text.lastIndexOf(show) > text.lastIndexOf(hide) }).toMatchObject({
      cursor: true,
    });
    expect(text).toContain('Interrupted.');
  },
);

it('SIGTERM lets serve finish the request under way', async () => {
  const service = await embeddedService();
  const body = JSON.stringify({ name: 'late', code: 'code' });
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  const head = [
    'PUT /v1/vals HTTP/1.1',
    `Host: ${new URL(service.baseUrl).host}`,
    `Authorization: Bearer ${service.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 100 /);
  socket.write(body.slice(0, 5));
  const ended = service.end('SIGTERM');
  await expect.poll(() => refusal(service.baseUrl), { interval: 10 }).toBe('ECONNREFUSED');
  socket.write(body.slice(5));
  expect(await ended).toBe(0);
  expect(answer).toMatch(/HTTP\/1\.1 201 /);
});
