import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { run, runOnScreen, runProcess, temporaryFolder } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { id } from './pushes.ts';

const service = await startStrict();
const { env } = service;
let count = 0;

function valWithVersions() {
  count += 1;
  const name = `hello${count}`;
  for (const code of ['one\ntwo\nthree\n', 'one\n2\nthree\n', 'one\n2\nthree']) service.edit(name, code);
  return {
    ...{ id: service.val(name).id, codes: () => service.codes(name) },
    vals: (args: string[], more: Record<string, string> = {}) => run(args, { env: { ...env, ...more } }),
  };
}

describe('version diff', () => {
  it('shows two versions, or one and the current code, and says when nothing differs', async () => {
    const { id, vals } = valWithVersions();
    const hunk = '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n';
    const stdout = `--- version 1\n+++ version 2\n${hunk}`;
    expect(await vals(['version', 'diff', id, '1', '2'])).toMatchObject({ exit: 0, stdout, stderr: '' });
    const inJson = await vals(['version', 'diff', id, '2', '--json']);
    const diff =
      '--- version 2\n+++ current\n@@ -1,3 +1,3 @@\n one\n 2\n-three\n+three\n\\ No newline at end of file\n';
    expect(JSON.parse(inJson.stdout)).toEqual([{ id, a: 2, diff }]);
    expect((await runOnScreen(['version', 'diff', id, '3'], { env })).screen).toContain(
      'The code is the same in both versions.',
    );
    expect((await vals(['version', 'diff', id, '1', '--color'])).stdout).toContain('\u001b[31m-two');
    const missing = await vals(['version', 'diff', id, '1', '99', '--json']);
    expect(missing).toMatchObject({ exit: 3, stdout: '', error: { kind: 'not_found' } });
  });

  it('without a number shows the last change, even after deletions', async () => {
    const { id, vals } = valWithVersions();
    await vals(['version', 'rm', id, '2', '--yes']);
    const { stdout } = await vals(['version', 'diff', id, '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ a: 1, diff: expect.stringContaining('-two\n') }]);
    const shown = await runOnScreen(['version', 'diff', id, '--no-color', '--quiet'], { env, columns: 100 });
    expect(shown.screen).toMatch(/^--- hello\d+ \(version 1\)\r\n\+\+\+ hello\d+ \(version 3, current\)/);
    await vals(['version', 'rm', id, '1', '--yes']);
    expect(await vals(['version', 'diff', id])).toMatchObject({ exit: 0, stdout: '' });
  });
});

it('the numbers of versions begin with 0 and have gaps: version ls and val get show the present one', async () => {
  const { id } = valWithVersions();
  const [first, second, third] = service.val(`hello${count}`).versions;
  if (first && second && third) Object.assign(first, { version: 0 });
  if (second && third) [second.version, third.version] = [4, 9];
  const { screen } = await runOnScreen(['version', 'ls', id, '--no-color', '--quiet'], { env });
  expect(screen).toBe('VERSION\r\n      9  current\r\n      4\r\n      0\r\n');
  const { stdout } = await run(['val', 'get', id], { env });
  expect(stdout).toBe(`hello${count}\tprivate\t9\t\t\t\t${id}\n`);
  expect((await run(['val', 'get', `${id}@0`], { env })).stdout).toBe(`\t\t0\t\t\t\t${id}\n`);
});

it('version ls shows the newest first, in whatever order the service lists them', async () => {
  const versions = [{ version: 2 }, { version: 1 }, { version: 10 }];
  const { env } = await scriptedService([], ({ path }) => ({
    body: path.endsWith('/versions') ? versions : { id, name: 'hello' },
  }));
  const ls = ['version', 'ls', id];
  expect(JSON.parse((await run([...ls, '--json'], { env })).stdout)).toEqual([
    { version: 10 },
    { version: 2 },
    { version: 1 },
  ]);
  expect((await run(ls, { env })).stdout).toMatch(/^10\t.*\n2\t.*\n1\t.*\n$/);
  expect((await runOnScreen(ls, { env })).screen).toMatch(/ 10 .*\r\n +2\r\n +1\r\n$/);
});

it.each([['version get ID 1 --code'], ['val get ID@1'], ['version diff ID 1'], ['version restore ID 1']])(
  'vals %s is exit 11 if the service sends version 0 instead',
  async (line) => {
    const { env, requests } = await scriptedService([], () => ({ body: { id, version: 0, code: 'old' } }));
    const { exit, stdout, stderr } = await run(line.replace('ID', id).split(' '), { env });
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
    expect(stderr).toContain('The service sent version 0 instead of version 1.');
    expect(requests.every(({ method }) => method === 'GET')).toBe(true);
  },
);

describe('val edit', () => {
  it('sends what the editor saved as a new version, and leaves no file behind', async () => {
    const { id, codes } = valWithVersions();
    const EDITOR = 'sh -c \'echo "$1" >&2; stat -c %a "$1" >&2; printf edited > "$1"\' --';
    // The editor writes to the terminal of the program.
    const { exit, stdout, stderr } = await runProcess(['val', 'edit', id, '--json'], {
      env: { ...env, EDITOR },
    });
    expect({ exit, code: JSON.parse(stdout).code }).toEqual({ exit: 0, code: 'edited' });
    const [file = '', mode] = stderr.split('\n');
    expect(file).toMatch(/\/hello\d+\.ts$/);
    expect(mode).toBe('600');
    expect(existsSync(file)).toBe(false);
    expect(codes().slice(3)).toEqual(['edited']);
  });

  it.each([
    { what: 'nothing changed', editor: 'true', exit: 0, says: 'nothing was sent', left: 0 },
    { what: 'only the last line ended', editor: "sh -c 'echo >> $1' --", exit: 0, says: 'sent', left: 0 },
    { what: 'no editor is chosen', editor: ' ', exit: 2, says: 'VISUAL', left: 0 },
    // An editor that failed may have left the user's text.
    { what: 'the editor fails', editor: 'false', exit: 10, says: 'ended with exit code 1', left: 1 },
  ])('sends nothing if $what', async ({ editor, exit, says, left }) => {
    const { id, codes } = valWithVersions();
    const TMPDIR = temporaryFolder();
    vi.stubEnv('TMPDIR', TMPDIR);
    const result = await runOnScreen(['val', 'edit', id], { env: { ...env, EDITOR: editor } });
    vi.unstubAllEnvs();
    expect(result).toMatchObject({ exit, screen: expect.stringContaining(says) });
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith('vals-edit-'))).toHaveLength(left);
    expect(codes()).toHaveLength(3);
  });

  it('prefers VISUAL, takes flags, and with --dry-run keeps the text and shows what would be sent', async () => {
    const { id, vals, codes } = valWithVersions();
    const { stdout, stderr } = await vals(['val', 'edit', id, '--dry-run', '--json'], {
      VISUAL: 'sed -i -e s/2/two/',
      EDITOR: 'false',
    });
    expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', body: { code: 'one\ntwo\nthree' } });
    const [, file = ''] = /Your text is in (\S+)\.\n/.exec(stderr) ?? [];
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree');
    expect(codes()).toHaveLength(3);
  });

  const opened = { id, name: 'hello', version: 3, code: 'before' };
  it.each<{ what: string; replies: Reply[]; text: string; exit: number; ends?: string }>([
    { what: 'another code came', replies: [{ body: { ...opened, code: '2' } }], text: 'mine', exit: 5 },
    // Its versions do not tell either whether the text was sent.
    {
      what: 'the service fails',
      replies: [{ body: opened }, { status: 500 }, { status: 403 }],
      text: 'mine',
      exit: 8,
    },
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
