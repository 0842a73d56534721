import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/core/command-line/parse-command-line.ts';
import { commandTree } from '../../../src/main.ts';
import { inProcess } from '../../support/in-process.ts';
import { run, temporaryFolder } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { writeConfig } from '../settings/support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

describe('a mistyped command line', () => {
  const secret = 'hunter2secret';
  it.each<{ args: string[] }>([
    { args: [`--tokn=${secret}`, 'me'] },
    { args: ['me', `--token=${secret}`] },
    { args: ['login', secret] },
    { args: ['me', `-t${secret}`] },
    { args: ['me', `--base-ur=https://ada:${secret}@a.example`] },
  ])('$args: the error does not repeat the secret', async ({ args }) => {
    for (const json of [[], ['--json']]) {
      const { exit, stdout, stderr } = await run([...args, ...json]);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).not.toContain(secret);
    }
  });

  it.each<{ args: string[] }>([
    { args: ['val', 'get', ''] },
    { args: ['val', 'get', '..'] },
    { args: ['refs', '--limit', '5'] },
    { args: ['runs', '--since', '2026-02-30'] },
    { args: ['val', 'rm', id, '--yes=no'] },
    { args: ['push', '-', '--name', 'x', '--dry-run=false'] },
    { args: ['me', '--timeout=0'] },
    { args: ['runs', '--summary', '--limit', '5'] },
    { args: ['runs', '--follow', '--summary'] },
    { args: ['me', '--timeout=10s'] },
    { args: ['me', '--local', '--base-url', 'http://127.0.0.1:1'] },
  ])('$args is refused before anything is sent, in JSON too', async ({ args }) => {
    const service = await scriptedService([]);
    const plain = await run(args, { env: service.env });
    expect(plain).toMatchObject({ exit: 2, stdout: '' });
    expect(plain.stderr).toMatch(/^error: .+\n/);
    const json = await run(['--json', ...args], { env: service.env });
    expect(json).toMatchObject({ exit: 2, stdout: '', error: { kind: 'usage', exit: 2 } });
    expect(service.requests).toEqual([]);
  });
});

it.each([
  ['get x', 'val get'],
  ['create x a.ts', 'val create'],
  ['set x --name y', 'val set'],
  ['edit x', 'val edit'],
  ['rm x', 'val rm'],
  ['delete x', 'val rm'],
  ['version delete x 1', 'version rm'],
  ['--base-url http://x list', 'ls'],
  ['whoami', 'me'],
  ['log x', 'version ls'],
  ['restore x 1', 'version restore'],
  ['deploy a.ts', 'push'],
  ['val push a.ts', 'push'],
])('`vals %s` is `vals %s`', async (line, path) => {
  const parsed = await parseCommandLine(line.split(' '), commandTree, 80);
  expect(parsed).toMatchObject({ kind: 'command', command: { path } });
});

it.each<[string, string]>([
  ['nonsense', "Unknown command 'nonsense'."],
  ['psh', "Unknown command 'psh'. Did you mean push?"],
  ['val deleet x', "Unknown command 'deleet'. Did you mean delete?"],
  ['--base-ulr https://a.example me', '`vals` has no option --base-ulr. Did you mean --base-url?'],
  [
    'comments --relationship givn',
    '--relationship takes one of any, given, received, not "givn". Did you mean given?',
  ],
  ['val rm', '<val...> is missing: names, ids, starts of ids, or files of vals.'],
  ['likes --limit 5 --all', '--limit and --all cannot be given together.'],
  ['version get hello x', '<version> takes the number of a version, not "x".'],
])('a usage error of `vals %s` is: %s', async (line, sentence) => {
  const { exit, stdout, stderr } = await inProcess(['--ndjson', ...line.split(' ')], { env: {} });
  expect({ exit, stdout, message: JSON.parse(stderr).error.message }).toEqual({
    exit: 2,
    stdout: '',
    message: sentence,
  });
});

describe('help', () => {
  it.each<{ args: string[]; holds: string[] }>([
    { args: ['val'], holds: ['create', 'get', 'rm', 'runs'] },
    { args: ['help', 'push'], holds: ['--concurrency', '--dry-run', '--json', '`vals help options`'] },
    { args: ['val', 'get', id, '--code', '--help'], holds: ['--readme'] },
    {
      args: ['help', 'options'],
      holds: ['--base-url', '--allow-http', '--no-color', 'VALS_TIMEOUT', 'VALS_TOKEN'],
    },
  ])('for $args contains $holds', async ({ args, holds }) => {
    const { exit, stdout, stderr } = await run(args);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: vals /);
    expect(holds.filter((word) => !stdout.includes(word))).toEqual([]);
    expect(stdout).not.toContain('\u001b');
  });

  it.each(['-V', '-v', '--version'])('is replaced by the version for %s', async (flag) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await run([flag])).toMatchObject({ exit: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('works with broken settings', async () => {
    const home = temporaryFolder();
    writeConfig(home, 'not JSON');
    const env = { VALS_BASE_URL: 'nonsense', VALS_TIMEOUT: 'x', VALS_TOKEN: 'two words' };
    for (const args of [[], ['push', '--help'], ['--version'], ['help', 'me']]) {
      expect(await run(args, { home, env })).toMatchObject({ exit: 0, stderr: '' });
    }
  });
});
