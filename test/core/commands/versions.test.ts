import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { run, runOnScreen, runProcess, temporaryFolder } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { id, pushCode } from './pushes.ts';

const codes = ['one\ntwo\nthree\n', 'one\n2\nthree\n', 'one\n2\nthree'];

const { env } = await startStrict();
let count = 0;

async function valWithVersions() {
  count += 1;
  const id = (await pushCode(env, `hello${count}`, ...codes)) ?? '';
  const vals = (args: string[], more: Record<string, string> = {}) => run(args, { env: { ...env, ...more } });
  const code = async () => (await vals(['val', 'get', id, '--code'])).stdout;
  const versions = async () =>
    JSON.parse((await vals(['version', 'ls', id, '--json'])).stdout).map(
      ({ version }: { version: number }) => version,
    );
  return { id, vals, code, versions };
}

describe('version diff', () => {
  it('shows two versions, or one and the current code, and says when nothing differs', async () => {
    const { id, vals } = await valWithVersions();
    const hunk = '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n';
    expect(await vals(['version', 'diff', id, '1', '2'])).toMatchObject({
      exit: 0,
      stdout: `--- version 1\n+++ version 2\n${hunk}`,
      stderr: '',
    });
    const { stdout } = await vals(['version', 'diff', id, '2', '--json']);
    expect(JSON.parse(stdout)).toEqual([
      {
        id,
        a: 2,
        diff: '--- version 2\n+++ current\n@@ -1,3 +1,3 @@\n one\n 2\n-three\n+three\n\\ No newline at end of file\n',
      },
    ]);
    expect(await vals(['version', 'diff', id, '3'])).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    expect((await runOnScreen(['version', 'diff', id, '3'], { env })).screen).toContain(
      'The code is the same in both versions.',
    );
    expect((await vals(['version', 'diff', id, '1', '--color'])).stdout).toContain('\u001b[31m-two');
  });

  it('without a number shows the last change, even after deletions', async () => {
    const { id, vals } = await valWithVersions();
    await vals(['version', 'rm', id, '2', '--yes']);
    const { stdout } = await vals(['version', 'diff', id, '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ a: 1, diff: expect.stringContaining('-two\n') }]);
    await vals(['version', 'rm', id, '1', '--yes']);
    expect(await vals(['version', 'diff', id])).toMatchObject({ exit: 0, stdout: '' });
  });

  it('fails as a whole if a version is missing', async () => {
    const { id, vals } = await valWithVersions();
    expect(await vals(['version', 'diff', id, '1', '99', '--json'])).toMatchObject({
      exit: 3,
      stdout: '',
      error: { kind: 'not_found' },
    });
    expect(await vals(['version', 'diff', id, 'x'])).toMatchObject({ exit: 2, stdout: '' });
  });
});

describe('version restore', () => {
  it('adds the old code as a new version and deletes nothing', async () => {
    const { id, vals, code, versions } = await valWithVersions();
    const planned = await vals(['version', 'restore', id, '1', '--dry-run', '--json']);
    expect(JSON.parse(planned.stdout)).toEqual({
      method: 'POST',
      path: `/v1/vals/${id}/versions`,
      body: { code: codes[0] },
    });
    expect(await versions()).toEqual([3, 2, 1]);
    const { exit, stdout } = await vals(['version', 'restore', id, '1', '--json']);
    expect({ exit, record: JSON.parse(stdout) }).toMatchObject({
      exit: 0,
      record: { version: 4, code: codes[0] },
    });
    expect(await versions()).toEqual([4, 3, 2, 1]);
    expect(await code()).toBe(codes[0]);
  });
});

describe('val edit', () => {
  afterEach(() => void vi.unstubAllEnvs());

  function temporaryFiles(): string {
    const folder = temporaryFolder();
    vi.stubEnv('TMPDIR', folder);
    return folder;
  }

  it('sends what the editor saved as a new version, and leaves no file behind', async () => {
    const { id, code, versions } = await valWithVersions();
    const EDITOR = 'sh -c \'echo "$1" >&2; stat -c %a "$1" >&2; printf edited > "$1"\' --';
    const { exit, stdout, stderr } = await runProcess(['val', 'edit', id, '--json'], {
      env: { ...env, EDITOR },
    });
    expect({ exit, record: JSON.parse(stdout) }).toMatchObject({
      exit: 0,
      record: { version: 4, code: 'edited' },
    });
    const [file = '', mode] = stderr.split('\n');
    expect(file).toMatch(/\/hello\d+\.ts$/);
    expect(mode).toBe('600');
    expect(existsSync(file)).toBe(false);
    expect(await code()).toBe('edited');
    expect(await versions()).toEqual([4, 3, 2, 1]);
  });

  it.each([
    { what: 'nothing', EDITOR: 'true' },
    { what: 'the end of the last line', EDITOR: "sh -c 'echo >> $1' --" },
  ])('sends nothing if $what changed', async ({ EDITOR }) => {
    const { id, versions } = await valWithVersions();
    const home = temporaryFolder();
    const folder = temporaryFiles();
    const { exit, screen } = await runOnScreen(['val', 'edit', id], { env: { ...env, EDITOR }, home });
    expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringContaining('nothing was sent') });
    expect(readdirSync(folder)).toEqual([]);
    expect(await versions()).toEqual([3, 2, 1]);
  });

  it('prefers VISUAL, takes flags, and with --dry-run keeps the text and shows what would be sent', async () => {
    const { id, vals, versions } = await valWithVersions();
    const { stdout, stderr } = await vals(['val', 'edit', id, '--dry-run', '--json'], {
      VISUAL: 'sed -i -e s/2/two/',
      EDITOR: 'false',
    });
    expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', body: { code: 'one\ntwo\nthree' } });
    const [, file = ''] = /Your text is in (\S+)\.\n/.exec(stderr) ?? [];
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree');
    expect(await versions()).toEqual([3, 2, 1]);
  });

  it.each([
    { what: 'no editor is chosen', env: { EDITOR: ' ' }, exit: 2, says: 'VISUAL' },
    { what: 'the editor fails', env: { EDITOR: 'false' }, exit: 10, says: 'ended with exit code 1' },
  ])('sends nothing if $what', async ({ env: own, exit, says }) => {
    const there = await valWithVersions();
    const home = temporaryFolder();
    const folder = temporaryFolder();
    // The editor writes to the terminal of the program.
    const result = await runProcess(['val', 'edit', there.id], {
      env: { ...env, ...own, TMPDIR: folder },
      home,
    });
    expect(result).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(says) });
    expect(result.stderr.includes('is installed')).toBe(says === 'exit code 127');
    // An editor that failed may have left the user's text.
    expect(readdirSync(folder).length).toBe(says === 'ended with exit code 1' ? 1 : 0);
    expect(await there.versions()).toEqual([3, 2, 1]);
  });

  const opened = { id, name: 'hello', version: 3, code: 'before' };
  it.each<{ what: string; replies: Reply[]; text: string; exit: number; ends?: string }>([
    {
      what: 'somebody else changed the code',
      replies: [{ body: { ...opened, code: 'theirs' } }],
      text: 'mine',
      exit: 5,
    },
    { what: 'the service fails', replies: [{ body: opened }, { status: 500 }], text: 'mine', exit: 8 },
    { what: 'it is empty', replies: [], text: '', exit: 10 },
    { what: 'it has a syntax error', replies: [], text: 'a b', exit: 10 },
    { what: 'the editor fails after saving', replies: [], text: 'mine', exit: 10, ends: '; exit 3' },
  ])('keeps the text in a named file if $what', async ({ replies, text, exit, ends = '' }) => {
    const service = await scriptedService([{ body: opened }, ...replies]);
    const EDITOR = `sh -c 'printf "${text}" > "$1"${ends}' --`;
    const result = await run(['val', 'edit', id], { env: { ...service.env, EDITOR } });
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(service.requests).toHaveLength(1 + replies.length);
    const [, file = ''] = /Your text is in (\S+)\.\n/.exec(result.stderr) ?? [];
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    if (exit === 5 || text === 'a b')
      expect(result.stderr.replaceAll(/\n\s*/g, ' ')).toContain(`vals version new ${id} ${file}`);
  });
});
