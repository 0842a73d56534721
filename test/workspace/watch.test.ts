import fs, { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { InterruptedError } from '../../src/core/errors.ts';
import type { Clock } from '../../src/core/lib/waiting.ts';
import { watchSaves } from '../../src/workspace/push/saves.ts';
import { quickRetries } from '../support/clocks.ts';
import { inProcess } from '../support/in-process.ts';
import { ends, environment, folderOf, program, startProcess, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { startStrict } from '../support/strict-service.ts';
import { openTerminal } from '../support/terminal.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import {
  loseAnswer,
  Place,
  pushed,
  type Row,
  repository,
  serviceWith,
  withEverything,
  workspaceWith,
} from './places.ts';

const watching = (place: Place, ...args: string[]) => start(place, ['--ndjson', ...args]);

function start(place: Place, args: readonly string[], clock?: Clock) {
  const text = { stdout: '', stderr: '' };
  const interrupt = new AbortController();
  let exit: number | undefined;
  const exited = inProcess(['push', '--watch', ...args], {
    cwd: place.folder,
    env: environment(place.home, place.env),
    signal: interrupt.signal,
    clock,
    heard: ({ stdout, stderr }) => void Object.assign(text, { stdout, stderr }),
  }).then((ended) => {
    exit = ended.exit;
    return exit;
  });
  const end = () => {
    interrupt.abort(new InterruptedError(130));
    return exited;
  };
  onTestFinished(() => void end());
  const until = (condition: () => boolean) =>
    expect.poll(() => condition() || { exit, ...text }, { interval: 10 }).toBe(true);
  const events = (): Row[] =>
    text.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const eventsOf = (file: string) => events().filter((row) => row.file === file);
  return {
    text,
    exited,
    until,
    events,
    async event(file: string, count: number): Promise<Row | undefined> {
      await until(() => eventsOf(file).length >= count);
      return eventsOf(file).at(-1);
    },
    end,
  };
}

async function changedOnce() {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  place.put({ 'a.ts': 'a2' });
  const watch = watching(place);
  await watch.event('a.ts', 1);
  return { place, service, watch };
}

it('push --watch sends written, replaced, new and moved files, and leaves the vals of others', async () => {
  const { place, service, watch } = await changedOnce();
  const move = (from: string, to: string) => renameSync(join(place.folder, from), join(place.folder, to));
  expect(watch.events()).toEqual([
    { file: 'a.ts', name: 'a', status: 'pushed', id: service.val('a').id, version: 2, versionBefore: 1 },
  ]);
  place.put({ 'b.ts': 'plain' });
  expect(await watch.event('b.ts', 1)).toMatchObject({ status: 'pushed', version: 2 });
  place.put({ '.b.ts.swp': 'replaced' });
  move('.b.ts.swp', 'b.ts');
  expect(await watch.event('b.ts', 2)).toMatchObject({ status: 'pushed', version: 3 });
  place.remove('b.ts');
  place.put({ 'b.ts': 'deleted; made; again' });
  expect(await watch.event('b.ts', 3)).toMatchObject({ status: 'pushed', version: 4 });

  place.put({ 'sub/new.ts': 'fresh', 'node_modules/x.ts': 'x', '.hidden/y.ts': 'y', 'z.txt': 'z' });
  expect(await watch.event('sub/new.ts', 1)).toMatchObject({ status: 'created', name: 'new' });
  place.remove('sub/new.ts');
  move('b.ts', 'sub/b.ts');
  place.put({ 'sub/b.ts': 'b5' });
  expect(await watch.event('sub/b.ts', 1)).toMatchObject({ status: 'pushed', name: 'b', version: 5 });
  move('a.ts', 'c.ts');
  expect(await watch.event('c.ts', 1)).toMatchObject({ status: 'created', name: 'c' });
  expect(await watch.end()).toBe(130);
  expect(watch.events()).toHaveLength(7);
  expect([service.codes('a'), service.code('new')]).toEqual([['a', 'a2'], 'fresh']);
  expect(service.codes('b')).toEqual(['b', 'plain', 'replaced', 'deleted; made; again', 'b5']);
});

it('push --watch uses the ignore files as they are now', async () => {
  const service = await startStrict();
  const place = new Place(temporaryFolder(), service.env);
  const below = new Place(join(place.folder, 'sub'), service.env);
  place.put({ '.git/HEAD': '' });
  below.put({ 'vals.json': '{}', '.gitignore': 'gen/\nonce.ts\n', 'a.ts': 'a', 'gen/b.ts': 'b' });
  const watch = watching(below);
  await watch.event('a.ts', 1);
  const files = () => new Set(watch.events().map(({ file }) => file));

  place.put({ '.gitignore': 'secret.ts\n/sub/deep/\n', 'sub/secret.ts': 's', 'sub/deep/secret2.ts': 's' });
  below.put({ 'gen/x.ts': 'x', 'once.ts': 'ignored' });
  below.put({ 'lib/.valsignore': 'secret3.ts', 'lib/secret3.ts': 's' });
  below.put({ 'a.ts': 'a3' });
  await watch.event('a.ts', 2);
  below.put({ 'a.ts': 'a4' });
  await watch.event('a.ts', 3);
  expect(files()).toEqual(new Set(['a.ts']));

  below.put({ '.gitignore': '', 'once.ts': 'once', 'gen/c.ts': 'c' });
  await watch.event('once.ts', 1);
  await watch.event('gen/c.ts', 1);
  below.put({ 'gen/c.ts': 'c2' });
  await watch.event('gen/c.ts', 2);
  const sent = files();
  sent.delete('gen/b.ts');
  sent.delete('gen/x.ts');
  expect(sent).toEqual(new Set(['a.ts', 'once.ts', 'gen/c.ts']));
});

it('push --watch reports a conflict or a syntax error, sends nothing for it, and goes on after it is resolved', async () => {
  const { place, service, watch } = await changedOnce();
  service.edit('a', 'theirs');
  place.put({ 'a.ts': 'mine' });
  expect((await watch.event('a.ts', 2))?.error).toMatchObject({ kind: 'conflict', exit: 5 });
  expect(service.code('a')).toBe('theirs');
  place.put({ 'b.ts': 'a b' });
  expect(await watch.event('b.ts', 1)).toMatchObject({ status: 'failed', error: { exit: 10 } });
  place.put({ 'b.ts': 'a; b' });
  expect(await watch.event('b.ts', 2)).toMatchObject({ status: 'pushed', version: 2 });
  await place.vals('pull', 'a', '--merge');
  expect((await watch.event('a.ts', 3))?.error).toMatchObject({ kind: 'conflict' });
  place.put({ 'a.ts': 'both' });
  expect(await watch.event('a.ts', 4)).toMatchObject({ status: 'pushed' });
  expect(service.code('a')).toBe('both');
});

it('push --watch reports an outage once, and sends the newest code when the service is back', async () => {
  const { place, service, watch } = await changedOnce();
  const { switches } = service;
  switches.instead = () => (response) => void response.destroy();
  place.put({ 'a.ts': 'lost1', 'b.ts': 'b2' });
  await watch.until(() => watch.text.stderr.includes('cannot be reached'));
  place.put({ 'a.ts': 'lost2' });
  switches.instead = undefined;
  await watch.until(() => service.code('a') === 'lost2');
  await watch.until(() => service.code('b') === 'b2');
  await watch.until(() => watch.text.stderr.includes('can be reached again'));
  expect(watch.text.stderr.match(/cannot be reached/g)).toHaveLength(1);
  place.put({ 'a.ts': 'after' });
  await watch.until(() => service.code('a') === 'after');
  expect(await watch.end()).toBe(130);
});

it('push --watch sends all new files when a service that was down at the start is there', async () => {
  let isDown = true;
  const service = await serviceWith(() => (isDown ? (response) => void response.destroy() : undefined));
  const place = workspaceWith(service.env, { 'a.ts': 'a', 'b.ts': '', 'c.ts': 'c', 'd.ts': 'd' });
  const watch = start(place, ['--ndjson', '--concurrency', '1'], quickRetries);
  expect(await watch.event('b.ts', 1)).toMatchObject({ status: 'failed', error: { exit: 10 } });
  await watch.until(() => watch.text.stderr.includes('cannot be reached'));
  place.put({ '.valsignore': 'd.ts\n' });
  service.requests.length = 0;
  isDown = false;
  for (const file of ['a.ts', 'c.ts'])
    expect(await watch.event(file, 1)).toMatchObject({ status: 'created' });
  expect(await watch.end()).toBe(130);
  expect(service.vals().map(({ name }) => name)).toEqual(['a', 'c']);
  expect(service.requests.filter(({ path }) => path.startsWith('/v1/users/'))).toHaveLength(1);
});

it('push --watch finds out what became of a push whose answer was lost', async () => {
  let isDown = false;
  const service = await serviceWith(({ method, body }, there) => {
    if (isDown && method === 'GET' && watch.text.stderr === '') return { status: 503 };
    isDown = method === 'POST' && JSON.parse(body).code === 'lost';
    return isDown ? loseAnswer(there) : undefined;
  });
  const place = workspaceWith(service.env, { 'a.ts': 'a' });
  await place.rows(['push']);
  place.put({ 'a.ts': 'lost' });
  const watch = start(place, ['--ndjson'], quickRetries);
  await watch.until(() => watch.text.stderr.includes('cannot be reached'));
  // The retry finds that the code has arrived.
  expect(await watch.event('a.ts', 1)).toMatchObject({ status: 'unchanged' });
  place.put({ 'a.ts': 'newest' });
  expect(await watch.event('a.ts', 2)).toMatchObject({ status: 'pushed' });
  expect(watch.events().some(({ status }) => status === 'failed')).toBe(false);
  expect(service.codes('a')).toEqual(['a', 'lost', 'newest']);
});

it('push --watch sends a file again that was saved during its push', async () => {
  let answerFirst: (() => void) | undefined;
  const service = await serviceWith(({ method, body }, { edit }) => {
    if (method !== 'POST' || JSON.parse(body).code !== 'first') return undefined;
    return async (response) => {
      const val = edit('a', 'first');
      answerFirst = () => response.writeHead(201).end(JSON.stringify(val));
    };
  });
  const place = workspaceWith(service.env, { 'a.ts': 'first' });
  const watch = watching(place);
  await watch.until(() => answerFirst !== undefined);
  for (const saved of ['second', 'third']) place.put({ 'a.ts': saved });
  answerFirst?.();
  await watch.event('a.ts', 2);
  expect(service.codes('a')).toEqual(['first', 'third']);
});

it('push --watch finishes a running push after Ctrl-C, says so, and records the push', async () => {
  let answer: (() => void) | undefined;
  const service = await serviceWith((seen, there) => {
    if (seen.method !== 'POST') return undefined;
    return (response) => {
      answer = () => response.writeHead(201).end(JSON.stringify(there.handle(seen).body));
    };
  });
  const place = workspaceWith(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
  const watch = watching(place, '--concurrency', '1');
  await watch.until(() => answer !== undefined);
  const ended = watch.end();
  await watch.until(() =>
    watch.text.stderr.includes('Waiting for the running pushes. Press Ctrl-C again to stop immediately.'),
  );
  answer?.();
  expect(await ended).toBe(130);
  expect(watch.events()).toMatchObject([{ file: 'a.ts', status: 'created', version: 1 }]);
  expect(place.records().a?.id).toBe(service.val('a').id);
  expect(service.vals()).toHaveLength(1);
});

it('push --watch ends with exit 4 if the service refuses the token', async () => {
  const { env } = await startStrict();
  const place = workspaceWith({ ...env, VALS_TOKEN: 'not-the-token-of-it' }, { 'a.ts': 'a' });
  expect(await watching(place).exited).toBe(4);
});

it('push --watch of a path prints a line of text for each push of its file, and refuses --json', async () => {
  const { place } = await pushed({ 'a.ts': 'a', 'lib/b.ts': 'b' });
  place.put({ 'a.ts': 'a2', 'lib/b.ts': 'b2' });
  const watch = start(place, ['lib/b.ts']);
  await watch.until(() => watch.text.stdout.includes('\n'));
  expect(await watch.end()).toBe(130);
  expect(watch.text.stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z\tpushed\tb\t2\n$/);
  expect(await place.vals('push', '--watch', '--json')).toMatchObject({
    exit: 2,
    stdout: '',
    error: { hint: expect.stringContaining('--ndjson') },
  });
});

it('push --watch refuses a path below which it would push nothing', async () => {
  const place = new Place(join(temporaryFolder(), 'workspace'), { VALS_LOCAL: '1' });
  place.put({ 'vals.json': '{}', 'a.ts': 'a', 'notes.md': '#', 'ignored.ts': 'i', 'lib/.git/HEAD': '' });
  place.put({ '.valsignore': 'ignored.ts\n', '../outside.ts': 'o' });
  symlinkSync('a.ts', join(place.folder, 'link.ts'));
  for (const path of ['../outside.ts', '../x', 'nothing', 'notes.md', 'ignored.ts', 'link.ts', 'lib']) {
    expect(await place.vals('push', '--watch', path)).toMatchObject(ends(10, `${path} cannot be`));
  }
});

it.each([
  ['n\r', 2],
  ['\x03', 130],
])('push --watch ends if the first question is answered %j', async (keys, exit) => {
  const service = await startStrict(withEverything);
  const mine = repository(service.env, { 'a.ts': 'a' });
  await mine.rows(['push']);
  const place = mine.clone();
  place.put({ 'a.ts': 'mine' });
  const terminal = openTerminal([process.execPath, program, 'push', '--watch'], {
    cwd: place.folder,
    env: environment(place.home, { TERM: 'xterm-256color', ...place.env }),
  });
  await terminal.shows('[y/N]');
  terminal.press(keys);
  expect(await terminal.ended).toBe(exit);
  expect(terminal.text()).not.toContain('Watching');
  expect(service.codes('a')).toEqual(['a']);
});

it('push --watch says once what is to be said of the folder', async () => {
  const { place } = await pushed({ 'a.ts': 'a' });
  place.put({ 'vals.json': '{"names": {"gone.ts": "gone"}}', 'lib/vals.json': '{}', 'a.ts': 'a2' });
  const { text, end, until } = start(place, ['--yes']);
  await until(() => text.stdout.includes('\ta\t'));
  place.put({ 'a.ts': 'a3' });
  await until(() => text.stdout.split('\ta\t').length === 3);
  await end();
  const said = ['"names" of vals.json has gone.ts', 'lib was left out'];
  expect(said.map((meaning) => text.stderr.split(meaning).length - 1)).toEqual([1, 1]);
});

it('a second SIGINT, some time after the first, ends the program at once', async () => {
  const { promise: pushing, resolve: startedToPush } = withResolvers();
  const service = await scriptedService([], ({ method }) => {
    if (method === 'GET') return { status: 404 };
    startedToPush();
    return () => {};
  });
  const cwd = folderOf({ 'vals.json': '{}', 'a.ts': 'a' });
  const { child, ended, text } = startProcess(['push', '--watch'], { env: service.env, cwd });
  await pushing;
  child.kill('SIGINT');
  // This line appears one second after the first signal. Only a signal in the first 200 ms counts as the same interrupt.
  await expect.poll(() => text.stderr).toContain('Press Ctrl-C again to stop immediately.');
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ exit: null, signal: 'SIGINT' });
});

it('push --watch sends a file that is made after its new folder was read and before the folder is watched', async () => {
  const root = temporaryFolder();
  const { watch } = fs;
  onTestFinished(() => {
    fs.watch = watch;
    syncBuiltinESMExports();
  });
  fs.watch = ((path: string, ...rest: []) => {
    if (basename(path) === 'sub') writeFileSync(join(path, 'new.ts'), 'new');
    return watch(path, ...rest);
  }) as typeof watch;
  syncBuiltinESMExports();
  const { promise: saved, resolve: noteSaved } = withResolvers();
  const onError = (error: unknown) => {
    throw error;
  };
  const onSave = (file: string) => void (file === 'sub/new.ts' && noteSaved());
  const { close } = await watchSaves({ root }, { onSave, onIgnoreFile() {}, onError });
  onTestFinished(close);
  mkdirSync(join(root, 'sub'));
  await saved;
});
