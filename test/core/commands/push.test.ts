import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOf, run, runQuickly, temporaryFolder } from '../../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { a, interruptible, made, names, outcomes, sent, statuses, vals } from './pushes.ts';

const repliesTo =
  (replies: Record<string, Reply>) =>
  (seen: Seen): Reply =>
    replies[sent(seen).name] ?? made(seen);

describe('outcomes', () => {
  it('are unchanged outside of a workspace if the service answers with the remembered version', async () => {
    const { env, val } = await startStrict({ version: true });
    const folder = folderOf({ 'a.ts': 'a', 'b.ts': 'b' });
    const home = temporaryFolder();
    const paths = [join(folder, 'a.ts'), join(folder, 'b.ts')];
    const push = async (from = home, cwd = folder) =>
      statuses((await run(['push', ...paths, '--json'], { env, cwd, home: from })).stdout);
    expect(await push()).toEqual(['created', 'created']);
    expect(await push()).toEqual(['unchanged', 'unchanged']);
    const otherWorkspace = folderOf({ 'vals.json': '{}' });
    expect(await push(home, otherWorkspace)).toEqual(['unchanged', 'unchanged']);
    writeFileSync(join(folder, 'b.ts'), 'b2');
    expect(await push()).toEqual(['unchanged', 'pushed']);
    const reader = temporaryFolder();
    await run(['val', 'get', val('a').id], { env, home: reader });
    expect(await push(reader)).toEqual(['unchanged', 'sent']);
    writeFileSync(join(folder, 'a.ts'), 'a2');
    const { stdout } = await run(['push', paths[0] ?? '', '--json'], { env, cwd: folder, home });
    const keys = ['file', 'name', 'status', 'id', 'version', 'versionBefore'];
    expect(Object.keys(outcomes(stdout)[0] ?? {})).toEqual(keys);
  });

  it('come in the order of the arguments, not of the answers', async () => {
    const all = ['e', 'a', 'd', 'b', 'c'];
    const waiting: [ServerResponse, Seen][] = [];
    const service = await scriptedService([], () => (response, seen) => {
      waiting.push([response, seen]);
      if (waiting.length < all.length) return;
      for (const [held, asked] of waiting.reverse()) {
        held.writeHead(sent(asked).name === 'd' ? 400 : 201).end(JSON.stringify({ id: sent(asked).name }));
      }
    });
    const args = ['push', ...all.map((name) => `${name}.ts`), '--json'];
    const { exit, stdout } = await run(args, { env: service.env, cwd: vals(...all) });
    expect(exit).toBe(9);
    expect(outcomes(stdout).map(({ name }) => name)).toEqual(all);
    expect(statuses(stdout)).toEqual(['created', 'created', 'failed', 'created', 'created']);
  });
});

/** Turns of the event loop, which the program and the service share. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

it.each([
  { flag: ['--concurrency', '8'], most: 8, total: 16 },
  { flag: ['--concurrency', '16'], most: 16, total: 32 },
])(
  '--concurrency $flag allows exactly $most requests at a time, on as many connections',
  async ({ flag, most, total }) => {
    const all = Array.from({ length: total }, (_, index) => `val${index}`);
    const ports = new Set<number | undefined>();
    let held: ServerResponse[] = [];
    let highest = 0;
    const service = await scriptedService([], () => (response) => {
      ports.add(response.socket?.remotePort);
      held.push(response);
      highest = Math.max(highest, held.length);
      if (held.length !== most) return;
      // If the program sends more requests than it may, they arrive in these turns, and `highest` counts them.
      void turns(100).then(() => {
        const answered = held;
        held = [];
        for (const each of answered) each.writeHead(201).end('{}');
      });
    });
    const { exit, stdout } = await run(['push', '.', ...flag, '--json'], {
      env: service.env,
      cwd: vals(...all),
    });
    expect(exit).toBe(0);
    expect(outcomes(stdout)).toHaveLength(total);
    expect({ highest, connections: ports.size }).toEqual({ highest: most, connections: most });
    expect(names(service.requests).toSorted()).toEqual(all.toSorted());
  },
);

describe('failures', () => {
  it.each<[statuses: number[], exit: number, kind: string, says: string]>([
    [[201, 400, 201, 201], 9, 'partial', '1 of 4 vals'],
    [[403, 201, 403, 201], 9, 'partial', '2 of 4 vals'],
    [[400, 422, 400, 400], 6, 'refused', 'None of the 4 vals'],
    [[400, 404, 400, 400], 9, 'partial', 'None of the 4 vals'],
  ])('%j: exit %i, and none stops the others', async (given, exit, kind, says) => {
    const all = ['a', 'b', 'c', 'd'];
    const replies = all.map((name, index): [string, Reply] => [
      name,
      { status: given[index] ?? 0, body: {} },
    ]);
    const service = await scriptedService([], repliesTo(Object.fromEntries(replies)));
    const result = await run(['push', '.', '--json'], { env: service.env, cwd: vals(...all) });
    expect(result).toMatchObject({ exit, error: { kind, exit, message: expect.stringContaining(says) } });
    expect(statuses(result.stdout)).toEqual(given.map((status) => (status === 201 ? 'created' : 'failed')));
    expect(names(service.requests).toSorted()).toEqual(all);
  });

  it('have an error object for each failed file, also in lines of JSON, and are named on stderr', async () => {
    const body = { message: 'bad code' };
    const service = await scriptedService([], repliesTo({ b: { status: 400, body } }));
    const args = ['push', 'a.ts', 'b.ts'];
    const options = { env: service.env, cwd: vals('a', 'b') };
    const error = {
      ...{ kind: 'refused', exit: 6, message: expect.stringContaining('bad code'), hint: expect.any(String) },
      ...{ status: 400, method: 'PUT', path: '/v1/vals', body },
    };
    const { stdout } = await run([...args, '--json'], options);
    expect(outcomes(stdout)[1]).toEqual({ file: 'b.ts', name: 'b', status: 'failed', error });
    const { stdout: lines } = await run([...args, '--ndjson'], options);
    expect(JSON.parse(`[${lines.trimEnd().replace('\n', ',')}]`)).toEqual(outcomes(stdout));
    expect(await run(args, options)).toMatchObject({
      exit: 9,
      stdout: 'created\ta\t1\tid-a\ta.ts\nfailed\tb\t\t\tb.ts\n',
      stderr: expect.stringMatching(/b\.ts.*bad code/),
    });
  });
});

describe('in GitHub Actions', () => {
  it('each failed file gets an annotation, and its text cannot forge another one', async () => {
    const failing = ['x50%.ts', 'a,b.ts', 'c:d.ts', 'line\nbreak.ts'];
    const message = '100% wrong: this,\nand that\r\n::error::forged';
    const cwd = folderOf(Object.fromEntries([...failing, 'fine.ts'].map((file) => [file, 'code'])));
    const service = await scriptedService([], (seen) =>
      sent(seen).name === 'fine' ? made(seen) : { status: 400, body: { message } },
    );
    const env = { ...service.env, GITHUB_ACTIONS: 'true' };
    const { exit, stderr } = await run(['push', ...failing, 'fine.ts', '--json'], { env, cwd });
    expect(exit).toBe(9);
    const annotations = stderr.split('\n').filter((line) => line.startsWith('::'));
    const properties = annotations.map((line) => /^::error file=([^:,]*)::(.*)$/.exec(line));
    const files = properties.map((match) => decodeURIComponent(match?.[1] ?? ''));
    expect(files.toSorted()).toEqual(failing.toSorted());
    for (const match of properties) {
      expect(match?.[2]).toContain('100%25 wrong');
      expect(match?.[2]).not.toMatch(/%(?!25|0A|0D)/);
    }
  });

  it('a file that does not exist gets an annotation too, with its path in the checkout', async () => {
    const cwd = vals('a');
    const annotation = async (GITHUB_WORKSPACE: string, GITHUB_ACTIONS = 'true') => {
      const env = { GITHUB_ACTIONS, GITHUB_WORKSPACE };
      return /^::error file=(.*)::/m.exec((await run(['push', './gone.ts'], { env, cwd })).stderr)?.[1];
    };
    expect(await annotation(dirname(cwd))).toBe(`${basename(cwd)}/gone.ts`);
    expect(await annotation(join(cwd, 'elsewhere'))).toBe('./gone.ts');
    expect(await annotation('', 'false')).toBeUndefined();
  });

  it('is one line for all files if the service cannot be reached', async () => {
    const env = { VALS_BASE_URL: 'http://127.0.0.1:1', VALS_TOKEN: 'test-token', GITHUB_ACTIONS: 'true' };
    const { exit, stderr } = await runQuickly(['push', '.'], { env, cwd: vals('a', 'b', 'c') });
    expect({ exit, annotations: stderr.match(/^::.*$/gm) }).toEqual({
      exit: 7,
      annotations: [expect.stringMatching(/^::error::Could not connect to /)],
    });
  });
});

describe('--dry-run', () => {
  it('sends nothing and needs no settings', async () => {
    const env = { VALS_TIMEOUT: 'nonsense' };
    const result = await run(['push', '.', '--dry-run', '--json'], { cwd: vals('a'), env });
    const stdout = '[{"file":"a.ts","name":"a","status":"planned","plan":"send"}]\n';
    expect(result).toMatchObject({ exit: 0, stdout, stderr: '' });
  });

  it.each<[line: string, json: unknown]>([
    [`val rm ${a}`, [{ id: a, status: 'planned' }]],
    [`version rm ${a} 0`, [{ id: a, version: 0, status: 'planned' }]],
  ])('vals %s prints what would be sent', async (line, planned) => {
    const service = await scriptedService([]);
    const cwd = folderOf({ 'file.ts': 'file', 'readme.md': '' });
    const args = [...line.split(' '), '--dry-run', '--json'];
    const { exit, stdout, stderr } = await run(args, { cwd, input: 'code', env: service.env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(planned);
    expect(service.requests).toEqual([]);
  });
});

it('an interruption while a push waits for a retry skips all vals', async () => {
  const service = await scriptedService([{ status: 503, headers: { 'retry-after': '20' } }]);
  const args = ['push', '.', '--concurrency', '1', '--json', '--debug'];
  const { interrupt, result } = interruptible(args, service.env, vals('a', 'b'));
  const ended = await result({ heard: ({ stderr }) => stderr.includes('retry in') && interrupt() });
  expect(ended.exit).toBe(130);
  expect(statuses(ended.stdout)).toEqual(['skipped', 'skipped']);
});
