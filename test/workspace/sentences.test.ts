// What is so is said as it is: the sentences of conflicts, rollbacks and vals that nobody finds.
import { expect, it } from 'vitest';
import { reachable } from '../support/proxy.ts';
import { startStrict } from '../support/strict-service.ts';
import {
  type Clone,
  kindsOfServices,
  pushed,
  reachableService,
  repository,
  timeOfGit,
  withEverything,
  workspaceWith,
} from './places.ts';

const code = (word: string) => `export default "${word}"\n`;

/** The codes are commits of greet.ts and versions of its val; both sides begin with the first one. */
async function bothWent({ here, there }: { here: string; there: string }, switches = withEverything) {
  const service = await startStrict({ ...switches, now: timeOfGit });
  // Only a service beyond this machine gets ids in vals.json.
  const env = 'list' in switches ? service.env : await reachable(service.env);
  const [first = '', ...commits] = here;
  const place = repository(env, { 'greet.ts': code(first) });
  for (const letter of commits) place.commit({ 'greet.ts': code(letter) });
  for (const letter of there) service.edit('greet', code(letter));
  return { service, place: place.clone() };
}

const messageOf = async (place: Clone) => (await place.rows(['push', 'greet.ts'], 5))[0]?.error?.message;

it.each([
  [
    'both went on',
    { here: 'ab', there: 'ax' },
    /^greet\.ts changed here, and its val changed on the service \(version 2, by ada, .*\) since both had version 1\.$/,
  ],
  [
    'restored, and built on what was there before',
    { here: 'abc', there: 'aba' },
    /^greet\.ts changed here, and its val went back to the code of version 1 on the service \(version 3, by ada, .*\) since both had version 2\.$/,
  ],
  [
    'no code in common',
    { here: 'b', there: 'x' },
    /^greet\.ts and its val \(version 1, by ada, .*\) never had the same code, as far as git and the val's newest versions tell\.$/,
  ],
  [
    'landed again before the service went back',
    { here: 'abab', there: 'aba' },
    /^greet\.ts has the code of version 2, from which the service went back to that of version 1 \(version 3, by ada, .*\)\.$/,
  ],
  [
    'an older code, for which git decided',
    { here: 'dac', there: 'dca' },
    /^greet\.ts has the code of version 2, and its val changed on the service since \(version 3, by ada, .*\)\.$/,
  ],
])('a conflict is said as it is: %s', async (_what, sides, sentence) => {
  const { place } = await bothWent(sides);
  expect(await messageOf(place)).toMatch(sentence);
});

it('a version that this folder had last and that is gone is said', async () => {
  const { service, place } = await bothWent({ here: 'ab', there: 'a' });
  await place.rows(['push']);
  place.put({ 'greet.ts': code('c') });
  service.val('greet').versions.pop();
  expect(await messageOf(place)).toMatch(
    /^greet\.ts differs from its val: version 2, which this folder had last, is gone, and the service has an older one \(version 1, by ada, .*\)\.$/,
  );
});

it.each(kindsOfServices)(
  'diff of a file in conflict says what is so and all ways on stderr, in a pipe, too: %s',
  async (_kind, switches) => {
    const { place, service } = await bothWent({ here: 'a', there: 'a' }, switches);
    if (!switches.list) await place.rows(['pull', service.val('greet').id]);
    place.put({ 'greet.ts': code('b'), 'other.ts': code('other') });
    service.edit('greet', code('x'));
    const { stdout, stderr } = await place.vals('diff', 'greet.ts');
    expect(stdout).toMatch(/^--- a\/greet\.ts\n/);
    expect(stderr).toMatch(
      /^greet\.ts changed here, and its val changed on the service \(version 2.*\) since both had version 1\. .*`git pull`.*--merge`.*pull greet\.ts --force`.*push greet\.ts --force`\.\n$/,
    );
    expect(await place.vals('diff', 'greet.ts', '--quiet')).toMatchObject({ stderr: '' });
    expect((await place.vals('diff')).stderr).toBe('');
    expect((await place.onScreen(['diff', 'other.ts'])).screen).toContain(`(${place.env.VALS_BASE_URL})`);
  },
);

it('status --exit-code is 5 if anything is not unchanged, and shows all the same', async () => {
  const { place } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  expect(await place.vals('status', '--exit-code')).toMatchObject({ exit: 0 });
  place.put({ 'b.ts': 'b2', 'c.ts': 'c' });
  const { exit, stdout, stderr } = await place.vals('status', '--exit-code');
  expect(exit).toBe(5);
  expect(stdout).toMatch(/^unchanged\ta\t.*\nchanged here\tb\t.*\nnew\tc\t/);
  expect(stderr).toMatch(/Not unchanged on http:.*: 2 of 3 \(b\.ts and c\.ts\)\./);
});

it.each([
  ['the 14 routes alone', {}],
  ['a list, but no times', { list: true, version: true, codeHash: true }],
])(
  'a code that comes back is sent, and said loudly, where the service tells no times: %s',
  async (_kind, switches) => {
    const { place, service } = await bothWent({ here: 'abab', there: 'a' }, switches);
    if (!('list' in switches)) await place.rows(['pull', service.val('greet').id]);
    for (const letter of 'ba') service.edit('greet', code(letter));
    const again = 'the code of version 2 again, which version 3 had replaced';
    const { stderr } = await place.vals('push', '--dry-run');
    expect(stderr).toContain(`greet.ts has ${again}. If somebody had taken that code back`);
    const { screen } = await place.clone().onScreen(['push', '--dry-run', '--no-color'], { columns: 200 });
    if ('list' in switches) expect(screen).toMatch(new RegExp(`planned .* ${again}`));
    const job = await place.at('.', { GITHUB_ACTIONS: 'true' }).vals('push');
    expect(job).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining(`::warning::greet.ts has ${again}.`),
    });
    expect(service.codes('greet')).toEqual(['a', 'b', 'a', 'b'].map(code));
  },
);

it('a version that somebody made while one was sent is said', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  place.put({ 'a.ts': 'a2' });
  service.switches.instead = (seen) => {
    if (seen.method === 'GET') return undefined;
    service.handle(seen);
    service.edit('a', 'theirs');
    return { status: 200, body: { id: service.val('a').id } };
  };
  expect(await place.vals('push')).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^sent\ta\t\t/),
    stderr:
      'Somebody else made a version during the push of a. To see which one is current, run `vals version ls a`.\n',
  });
  expect(service.codes('a')).toEqual(['a', 'a2', 'theirs']);
});

it('in CI, a file that is behind comes with what to do next', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  service.edit('a', 'theirs');
  const { stderr } = await place.at('.', { GITHUB_ACTIONS: 'true' }).vals('push');
  expect(stderr).toBe(
    '::warning::a.ts was not sent, because its val changed on the service (version 2). To keep what the service has, run `vals pull` in a clone and commit the file; to overwrite it, push with --force.\n',
  );
});

it('files that import others from beside them are named in one line', async () => {
  const { env } = await startStrict();
  const files = {
    'a.ts': "import { b } from './b.ts';\nb();\n",
    'b.ts': 'export const b = () => 1;\nexport const path = "./a.ts";\n',
    'c.ts': "// import './a.ts'\nexport * from '../a.ts';\n",
    'd.ts': "import type { B } from './b.ts';\nexport const d: B = 1;\n",
    'e.ts': "export default () => import('./b.ts');\n",
  };
  const line =
    'a.ts, c.ts and e.ts import files beside them. A val is one file, so these cannot run on a service.\n';
  const place = workspaceWith(env, files);
  expect(await place.vals('push')).toMatchObject({ exit: 0, stderr: line });
  expect(await place.vals('push')).toMatchObject({ exit: 0, stderr: '' });
  place.remove('vals.json');
  expect((await place.vals('push', '.')).stderr).toContain(line);
});

it('an entry of ids whose val or file is gone is named', async () => {
  const service = await reachableService('vals.test');
  const place = repository(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
  await place.rows(['push']);
  place.commit();
  const job = place.clone().at('.', { GITHUB_ACTIONS: 'true' });
  expect((await place.vals('val', 'rm', 'a', '--yes')).stderr).toContain(
    'Remove a from "ids" of vals.json, too.\n',
  );
  place.remove('a.ts');
  expect((await place.vals('status')).stderr).toBe(
    '"ids" of vals.json has a, but no file here has that name. Bring the file back, or remove the entry.\n',
  );
  job.remove('b.ts');
  expect((await job.vals('push', 'a.ts')).stderr).toContain('remove "a" from "ids" of vals.json');
  job.remove('a.ts');
  expect((await job.vals('push', '--prune', '--yes')).stderr).toContain(
    '::warning::Remove b from "ids" of vals.json, because that val is gone.\n',
  );
});

it('a status whose reads are not answered asks for no more vals than at first', async () => {
  const service = await startStrict({ list: true });
  const place = workspaceWith(service.env);
  for (let count = 0; count < 60; count++) {
    service.edit(`val${count}`, 'there');
    place.put({ [`val${count}.ts`]: 'here' });
  }
  service.switches.instead = ({ path }) => (path.startsWith('/v1/vals/') ? () => {} : undefined);
  expect(await place.vals('status', '--timeout', '1')).toMatchObject({ exit: 7 });
  const reads = new Set(
    service.requests.map(({ path }) => path).filter((path) => path.startsWith('/v1/vals/')),
  );
  expect(reads.size).toBe(8);
});
