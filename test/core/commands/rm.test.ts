import { expect, it } from 'vitest';
import { run, runOnScreen } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { a, b, c, id, interruptible } from './pushes.ts';

const one = ['val', 'rm', id];
const gone: Reply = { status: 204 };

it.each([[[...one, '--json']], [['version', 'rm', id, '1', '2']]])(
  '%j without a terminal needs --yes',
  async (args) => {
    const service = await scriptedService([]);
    const result = await run(args, { env: service.env, input: 'y\n' });
    expect(result).toMatchObject({ exit: 2, stdout: '' });
    expect(result.stderr).toContain('--yes');
    expect(service.requests).toEqual([]);
  },
);

it.each([
  { keys: '\r', exit: 2 },
  { keys: '\u0003', exit: 130 },
])('the answer $keys deletes nothing: exit $exit', async ({ keys, exit }) => {
  const service = await scriptedService([], () => ({ body: { id, name: 'hello' } }));
  const result = await runOnScreen(one, { env: service.env, answers: [{ after: '[y/N]', keys }] });
  expect(result.exit).toBe(exit);
  expect(result.screen).toContain(id.slice(0, 8));
  // The user decided so, and made no mistake.
  if (exit === 2) expect(result.screen).toMatch(/(?<!error: )Nothing was deleted\./);
  expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('val rm shows the vals, asks once for all, and stdout has only the result', async () => {
  const vals = [
    { id: a, name: 'hello', version: 3, privacy: 'private', versionCreatedAt: '2026-01-02T03:04:05Z' },
    { id: b, name: 'second', version: 1, privacy: 'public', versionCreatedAt: '2026-01-02T03:04:05Z' },
  ];
  const service = await scriptedService([...vals.map((body) => ({ body })), { body: [] }, gone, gone]);
  const { exit, stdout, screen } = await runOnScreen(['val', 'rm', a, b, '--json', '--no-color'], {
    env: service.env,
    answers: [{ after: '[y/N]', keys: 'Y\r' }],
  });
  expect(exit).toBe(0);
  expect(screen).toMatch(/hello +private +3 +[-\w ]+ +a\w{7}\r\n/);
  expect(screen).toMatch(/second +public +1 +[-\w ]+ +b\w{7}\r\n/);
  expect(screen).toContain('Delete these 2 vals, with all their versions and runs: hello, second? [y/N]');
  expect(JSON.parse(stdout)).toEqual([a, b].map((each) => ({ id: each, status: 'deleted' })));
  expect(service.requests.slice(3).map(({ method, path }) => `${method} ${path}`)).toEqual([
    `DELETE /v1/vals/${a}`,
    `DELETE /v1/vals/${b}`,
  ]);
});

it.each([{}, { version: true }])(
  'version rm says which version is current, of a val with %j',
  async (switches) => {
    const { env, edit, val } = await startStrict({ list: true, ...switches });
    for (const code of ['0', '1', '2', '3']) edit('hello', code);
    // Numbers may begin with 0 and have gaps.
    for (const [index, each] of val('hello').versions.entries()) each.version = index * 2;
    const ask = async (...versions: string[]) => {
      const answers = [{ after: '[y/N]', keys: 'n\r' }];
      const args = ['version', 'rm', 'hello', ...versions, '--no-color'];
      return (await runOnScreen(args, { env, columns: 200, answers })).screen;
    };
    const back = (to: number) =>
      `warning: Version 6 is current. The next deploy from a clone that does not know of this brings it back. To go back for good, run \`vals version restore hello ${to}\` instead.`;
    expect(await ask('6')).toContain(back(4));
    expect(await ask('6')).toContain('Delete version 6 of the val hello, its current version?');
    expect(await ask('0', '4', '6')).toContain(back(2));
    expect(await ask('6', '0')).toContain(
      'the versions 6, 0 of the val hello, among them its current version 6?',
    );
    const older = await ask('0');
    expect(older).toContain('Delete version 0 of the val hello, whose current version is 6?');
    expect(older).not.toContain('warning');
  },
);

const absent: Reply = { status: 404 };
const deleted = { status: 'deleted' };
const failed = (kind: string, exit: number) => ({ status: 'failed', error: { kind, exit } });
const cases: [what: string, words: string[], replies: Reply[], rows: object[], exit: number][] = [
  ['one val twice', [a, a], [gone], [deleted], 0],
  ['one absent', [a, b, c], [gone, absent, gone], [deleted, failed('not_found', 3), deleted], 9],
  ['a refused token', [a, b], [{ status: 401 }], [failed('auth', 4), { status: 'skipped' }], 4],
];
it.each(cases)('a deletion with %s has an outcome for each', async (_what, words, replies, rows, exit) => {
  const service = await scriptedService(replies);
  const result = await run(['val', 'rm', ...words, '--yes', '--json'], { env: service.env });
  expect(result.exit).toBe(exit);
  expect(JSON.parse(result.stdout)).toMatchObject(rows.map((row, index) => ({ id: words[index], ...row })));
  expect(service.requests).toHaveLength(replies.length);
  if (exit !== 0) expect(result.error).toMatchObject({ exit });
  if (exit === 4) expect(result.stderr).toContain('1 other was not tried.');
});

it('each deleted version has its own outcome', async () => {
  const versions = { body: [{ version: 0 }, { version: 3 }] };
  const service = await scriptedService([versions, gone, { status: 409, body: { detail: 'the only one' } }]);
  const args = ['version', 'rm', id, '0', '3', '--yes', '--json'];
  const { exit, stdout } = await run(args, { env: service.env });
  expect(exit).toBe(9);
  expect(JSON.parse(stdout)).toMatchObject([
    { id, version: 0, ...deleted },
    { id, version: 3, ...failed('conflict', 5) },
  ]);
});

it('an interrupted deletion tells what was deleted', async () => {
  const service = await scriptedService([{ status: 204 }, () => interrupt()]);
  const { interrupt, result } = interruptible(['val', 'rm', a, b, c, '--yes', '--json'], service.env);
  const { exit, stdout } = await result();
  expect(exit).toBe(130);
  expect(JSON.parse(stdout)).toEqual([
    { id: a, status: 'deleted' },
    {
      id: b,
      status: 'failed',
      error: expect.objectContaining({ message: expect.stringContaining('not known') }),
    },
    { id: c, status: 'skipped' },
  ]);
});

it.each([
  [['val', 'rm', 'a', 'b', 'nothere'], 'nothere'],
  [['version', 'rm', 'a', '1', '2', '9'], 'a has no version 9'],
])('%j deletes nothing, and says so', async (args, says) => {
  const { env, edit, codes, writes } = await startStrict({ list: true });
  for (const name of ['a', 'b']) for (const code of ['1', '2']) edit(name, code);
  const { exit, stdout, stderr } = await run([...args, '--yes'], { env });
  expect({ exit, stdout, writes: writes() }).toEqual({ exit: 3, stdout: '', writes: [] });
  expect(stderr).toContain(says);
  expect(stderr).toContain('Nothing was deleted.');
  expect(codes('a')).toEqual(['1', '2']);
});

const reference = (name: string, dependsOn: string) => ({
  reference: { id: name, name },
  dependsOn: { id: dependsOn },
});

it.each<[what: string, references: Reply, referenceCount: number | undefined, says: string | undefined]>([
  [
    'names those',
    { body: [reference('report', a), reference('of other', b)] },
    undefined,
    'hello is imported by report.',
  ],
  ['is silent if there are none', { body: [reference('of other', b)] }, undefined, undefined],
  ['says that they are not known', { status: 403 }, undefined, 'It is not known which vals import hello: '],
  [
    'says so of unknown records',
    { body: [{ id: c }] },
    undefined,
    'It is not known which vals import hello: ',
  ],
])('val rm, which asks which vals import one, %s', async (_what, references, referenceCount, says) => {
  const val = { id: a, name: 'hello', ...(referenceCount !== undefined && { referenceCount }) };
  const service = await scriptedService([], ({ path }) => {
    if (path.startsWith('/v1/me/references')) return references;
    return { body: path.endsWith('/versions') ? [{ version: 4 }, { version: 7 }] : val };
  });
  const { screen } = await runOnScreen(['val', 'rm', a, '--no-color'], {
    env: service.env,
    columns: 200,
    answers: [{ after: '[y/N]', keys: 'n\r' }],
  });
  expect(screen).toMatch(/hello +7 +a/);
  if (says === undefined) expect(screen).not.toMatch(/warning/);
  else expect(screen).toContain(`warning: ${says}`);
  const asked = service.requests.filter(({ path }) => path === '/v1/me/references');
  expect(asked).toHaveLength(referenceCount === 0 ? 0 : 1);
});
