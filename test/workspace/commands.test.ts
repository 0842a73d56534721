// init, status, diff, pull and push in a workspace, against the embedded service.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { Place, pushed, type Row, startService, workspaceWith } from './support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

/** The contents of all backups. */
const backups = (place: Place): string[] => {
  const folder = join(place.folder, '.vals/backup');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => place.read(join(entry.parentPath, entry.name).slice(place.folder.length + 1)));
};

describe('init', () => {
  it('warns once of names that a service may refuse, and of links that lead nowhere', async () => {
    const { env } = await startService();
    const place = new Place(temporaryFolder(), env);
    place.put({ 'a.test.ts': 'a', 'b.test.ts': 'b', 'fine.ts': 'c' });
    symlinkSync('nowhere', join(place.folder, 'link.ts'));
    const { stderr } = await place.vals('init');
    expect(stderr.match(/may refuse/g)).toHaveLength(1);
    expect(stderr).toContain('a.test.ts and b.test.ts: ');
    expect(stderr).toContain('link.ts was left out: it is a link that leads nowhere.');
  });

  it('makes an empty folder a workspace, and is safe to run again', async () => {
    const place = new Place(temporaryFolder(), {});
    expect(await place.vals('init', '--json')).toMatchObject({
      exit: 0,
      stdout: '{"status":"created","file":"vals.json","vals":0,"added":[]}\n',
      stderr: '',
    });
    const before = place.read('vals.json');
    expect(before).toBe('{\n  "$schema": "./.vals/schema.json",\n  "vals": {}\n}\n');
    place.remove('.vals/schema.json');
    expect(await place.vals('init', '--json')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('unchanged'),
    });
    expect(place.read('vals.json')).toBe(before);
    expect(JSON.parse(place.read('.vals/schema.json'))).toMatchObject({ type: 'object' });
  });

  it('lists the code files that push would take, and adds new ones when run again', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({
      'b.ts': 'b',
      'sub/a.js': 'a',
      'x.d.ts': '',
      '.env.ts': '',
      'node_modules/n.ts': '',
      '.gitignore': 'out/',
      'out/o.ts': '',
    });
    await place.vals('init');
    expect(place.manifest().vals).toEqual({ 'b.ts': { name: 'b' }, 'sub/a.js': { name: 'a' } });
    place.put({ 'c.ts': 'c' });
    expect(JSON.parse((await place.vals('init', '--json')).stdout)).toMatchObject({
      status: 'updated',
      added: ['c.ts'],
      vals: 3,
    });
  });

  it('shows git only vals.json and the code', async () => {
    const { place } = await pushed({ 'a.ts': 'a' });
    execFileSync('git', ['init', '-q'], { cwd: place.folder });
    const seen = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: place.folder }).toString();
    expect(seen).toBe('?? a.ts\n?? vals.json\n');
  });

  it('refuses two files of one name, and a folder inside a workspace', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({ 'a.ts': 'a', 'sub/a.ts': 'a' });
    const twins = await place.vals('init', '--json');
    expect(twins).toMatchObject({ exit: 2, stdout: '', error: { kind: 'usage' } });
    expect(twins.error?.message).toMatch(/a\.ts.*sub\/a\.ts/);
    expect(existsSync(join(place.folder, 'vals.json'))).toBe(false);
    place.put({ 'vals.json': '{"vals":{}}' });
    const inside = await run(['init', '--json'], { cwd: join(place.folder, 'sub') });
    expect(inside).toMatchObject({ exit: 2, error: { hint: expect.any(String) } });
    expect(existsSync(join(place.folder, 'sub/vals.json'))).toBe(false);
  });
});

describe('outside of a workspace', () => {
  it.each([['status'], ['diff'], ['pull'], ['push'], ['forget', 'hello'], ['push', '--watch']])(
    'vals %s exits with 2 and names init',
    async (...args) => {
      const format = args.includes('--watch') ? '--ndjson' : '--json';
      const { exit, stdout, error } = await run([...args, format, '--local']);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(error?.hint).toContain('vals init');
    },
  );
});

it('status shows every status, and patch applies the output of diff', async () => {
  const names = ['same', 'here', 'there', 'both', 'missing', 'deleted', 'alike'];
  const text = (name: string) => `// ${name}\n1\n2\n3\n`;
  const { place, service } = await pushed(
    Object.fromEntries(names.map((name) => [`${name}.ts`, text(name)])),
  );
  expect((await place.vals('status', '--exit-code')).exit).toBe(0);
  expect(await place.vals('diff')).toMatchObject({ exit: 0, stdout: '', stderr: '' });

  place.put({ 'here.ts': 'here\n', 'both.ts': `${text('both')}4`, 'fresh.ts': 'fresh', 'alike.ts': 'alike' });
  await service.edit('there', 'there\r\n');
  await service.edit('both', `0\n${text('both')}`);
  await service.edit('alike', 'alike');
  await service.delete(place.idOf('deleted.ts'));
  place.remove('missing.ts');
  const expected = {
    'alike.ts': 'unchanged',
    'both.ts': 'conflict',
    'deleted.ts': 'deleted there',
    'fresh.ts': 'new',
    'here.ts': 'changed here',
    'missing.ts': 'missing here',
    'same.ts': 'unchanged',
    'there.ts': 'changed there',
  };
  expect(await place.status()).toEqual(expected);
  const rows = await place.rows(['status', '--exit-code'], 5);
  expect(Object.fromEntries(rows.map(({ file, status }) => [file, status]))).toEqual(expected);
  expect(rows.find(({ file }) => file === 'here.ts')).toEqual({
    file: 'here.ts',
    name: 'here',
    status: 'changed here',
    id: place.idOf('here.ts'),
    version: 1,
  });
  expect(await place.words(['status', 'here', 'both.ts', place.idOf('there.ts')])).toEqual({
    'here.ts': 'changed here',
    'both.ts': 'conflict',
    'there.ts': 'changed there',
  });

  // Patching the service's code gives the files.
  const diff = (await place.vals('diff')).stdout;
  const there = temporaryFolder();
  for (const name of ['same', 'here', 'there', 'both', 'missing', 'alike'])
    writeFileSync(join(there, `${name}.ts`), await service.code(place.idOf(`${name}.ts`)));
  execFileSync('patch', ['-p1', '--silent'], { cwd: there, input: diff });
  const left = readdirSync(there).sort();
  expect(left).toEqual(['alike.ts', 'both.ts', 'deleted.ts', 'fresh.ts', 'here.ts', 'same.ts', 'there.ts']);
  for (const file of left) expect(new Place(there, {}).read(file)).toBe(place.read(file));
  const records: Row[] = await place.rows(['diff']);
  expect(records.map(({ diff }) => diff).join('')).toBe(diff);
  expect(Object.keys(records[0] ?? {})).toEqual(['file', 'name', 'status', 'diff']);
});

it('status shows the other vals if a file cannot be read, and names vals forget if both sides are gone', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'gone.ts': 'c' });
  place.put({ 'b.ts': Buffer.from([0xff, 0xfe, 0xfa]) });
  expect(await place.words(['status'], 10)).toEqual({ 'a.ts': 'unchanged', 'gone.ts': 'unchanged' });
  place.put({ 'b.ts': 'b' });
  await service.delete(place.idOf('gone.ts'));
  place.remove('gone.ts');
  const { screen } = await place.onScreen(['status']);
  expect(screen).toContain('`vals forget` removes vals that are neither here nor on the service.');
  expect(screen).not.toMatch(/vals push|vals pull/);
  expect((await place.vals('diff')).stderr).toBe('');
  expect(await place.vals('forget', 'gone.ts')).toMatchObject({ exit: 0 });
});

it('status shows differences first, and diff has colours and escapes control characters', async () => {
  const { place } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  place.put({ 'b.ts': 'b\u001b[2J\u202e\n' });
  const onScreen = (...args: string[]) => place.onScreen(args, { columns: 100 });
  const { screen, exit } = await onScreen('status');
  expect(exit).toBe(0);
  expect(screen).toContain('\u001b[32m> changed here');
  expect(screen.indexOf('> changed here')).toBeLessThan(screen.indexOf('= 1 unchanged'));
  expect((await onScreen('status', '--fields', 'name')).screen).toMatch(/\ba\r\nb\r\n/);
  const { screen: diff } = await onScreen('diff');
  expect(diff).toContain('\u001b[32m+b\\u001b[2J\\u202e');
  expect(diff).toContain('\u001b[31m-b');
  expect((await onScreen('diff', '--no-color')).screen).toContain('\n+b\\u001b[2J');
  await place.rows(['push']);
  expect((await onScreen('push')).screen).toContain('Nothing to push.');
  expect((await onScreen('status')).screen).toBe('All 2 vals are unchanged.\r\n');
});

describe('pull', () => {
  it('writes changed and missing files, and keeps files that were edited here', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    await service.edit('a', 'a2');
    place.put({ 'b.ts': 'b2' });
    chmodSync(join(place.folder, 'a.ts'), 0o755);
    place.remove('c.ts');
    expect(await place.words(['pull', '--dry-run'])).toEqual({
      'a.ts': 'planned',
      'b.ts': 'kept',
      'c.ts': 'planned',
    });
    expect(place.read('a.ts')).toBe('a');
    expect(await place.words(['pull'])).toEqual({ 'a.ts': 'pulled', 'b.ts': 'kept', 'c.ts': 'pulled' });
    expect([place.read('a.ts'), place.read('b.ts'), place.read('c.ts')]).toEqual(['a2', 'b2', 'c']);
    expect(statSync(join(place.folder, 'a.ts')).mode & 0o777).toBe(0o755);
    expect(await place.status()).toEqual({
      'a.ts': 'unchanged',
      'b.ts': 'changed here',
      'c.ts': 'unchanged',
    });
    expect(await place.words(['pull', 'b', '--force'])).toEqual({ 'b.ts': 'pulled' });
    expect(place.read('b.ts')).toBe('b');
    expect(backups(place)).toEqual(['b2']);
  });

  it('refuses a conflict with 5, merges it with --merge, overwrites it with --force', async () => {
    const { place, service } = await pushed({ 'a.ts': '1\n2\n3\n', 'same.ts': 's' });
    place.put({ 'a.ts': 'X\n2\n3\n' });
    await service.edit('a', '1\n2\nY\n');
    const refused = await place.vals('pull', '--json');
    expect(refused).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
    expect(refused.error?.hint).toMatch(/--merge.*--force/);
    expect(place.read('a.ts')).toBe('X\n2\n3\n');
    const merged = await place.vals('pull', 'a.ts', '--merge');
    expect(merged).toMatchObject({ exit: 0, stdout: expect.stringContaining('merged') });
    expect(merged.stderr).toContain('.vals/backup/');
    expect(place.read('a.ts')).toBe('X\n2\nY\n');
    expect(backups(place)).toEqual(['X\n2\n3\n']);
    expect(await place.words(['push', 'a.ts'])).toEqual({ 'a.ts': 'pushed' });

    place.put({ 'a.ts': 'Z\n' });
    await service.edit('a', 'there\n');
    expect(await place.words(['pull', '--force'])).toEqual({ 'a.ts': 'pulled', 'same.ts': 'unchanged' });
    expect(place.read('a.ts')).toBe('there\n');
    expect(backups(place).sort()).toEqual(['X\n2\n3\n', 'Z\n']);
  });

  it('keeps the overwritten files in one folder, and says so once', async () => {
    const { place } = await pushed({ 'a.ts': 'a', 'lib/b.ts': 'b' });
    place.put({ 'a.ts': 'mine', 'lib/b.ts': 'mine too' });
    const { exit, stderr } = await place.vals('pull', '--force');
    expect(exit).toBe(0);
    expect(readdirSync(join(place.folder, '.vals/backup'))).toHaveLength(1);
    expect(backups(place).sort()).toEqual(['mine', 'mine too']);
    expect(stderr).toMatch(/^The old content of 2 files is kept in \.vals\/backup\/[^/]+\.\n$/);
  });

  it('marks a conflict in the file, and push refuses the file until the markers are gone', async () => {
    const { place, service } = await pushed({ 'a.ts': '1\n2\n3\n' });
    place.put({ 'a.ts': '1\nX\n3\n' });
    await service.edit('a', '1\nY\n3\n');
    const merged = await place.vals('pull', '--merge', '--json');
    expect(merged).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
    expect(place.read('a.ts')).toBe('1\n<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n3\n');
    expect(await place.status()).toEqual({ 'a.ts': 'unmerged' });
    for (const again of [['pull'], ['pull', '--merge']]) {
      expect((await place.vals(...again)).stderr).toContain('still has conflict markers');
    }
    expect(backups(place)).toEqual(['1\nX\n3\n']);
    expect(await place.vals('push', '--json')).toMatchObject({ exit: 5 });
    expect(await service.code(place.idOf('a.ts'))).toBe('1\nY\n3\n');
    place.put({ 'a.ts': '1\nXY\n3\n' });
    expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed' });
    expect(await service.code(place.idOf('a.ts'))).toBe('1\nXY\n3\n');
  });

  it('adds a val by its id, in a file of its name or in the chosen file', async () => {
    const service = await startService();
    const place = new Place(temporaryFolder(), service.env);
    await place.vals('init');
    const first = await service.edit('hello', 'hello\n');
    const second = await service.edit('other', 'other');
    expect(await place.rows(['pull', first.id])).toEqual([
      { id: first.id, file: 'hello.ts', name: 'hello', version: 1, status: 'pulled' },
    ]);
    expect(place.read('hello.ts')).toBe('hello\n');
    place.put({ 'lib/other.js': 'mine' });
    const taken = await place.vals('pull', second.id, '--file', 'lib/other.js', '--json');
    expect(taken).toMatchObject({ exit: 10, error: { kind: 'local' } });
    expect(place.read('lib/other.js')).toBe('mine');
    expect(await place.words(['pull', second.id, '--file', 'lib/other.js', '--force'])).toEqual({
      'lib/other.js': 'pulled',
    });
    expect(backups(place)).toEqual(['mine']);
    expect(await place.status()).toEqual({ 'hello.ts': 'unchanged', 'lib/other.js': 'unchanged' });
    expect(await place.vals('pull', id, '--json')).toMatchObject({ exit: 3, error: { kind: 'not_found' } });
    expect(await place.vals('pull', 'hello', '--file', 'x.ts')).toMatchObject({ exit: 2 });
  });

  it('keeps the files of vals that were deleted on the service, and says so in one sentence', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { place, service } = await pushed(Object.fromEntries(names.map((name) => [`${name}.ts`, name])));
    for (const name of names) await service.delete(place.idOf(`${name}.ts`));
    const sentence = 'a\\.ts, b\\.ts, c\\.ts and 2 more were deleted on .*\n';
    expect(await place.vals('pull')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('kept'),
      stderr: expect.stringMatching(new RegExp(`^warning: ${sentence}$`)),
    });
    expect((await place.vals('push')).stderr).toMatch(new RegExp(`: ${sentence}`));
    expect(await place.vals('pull', 'a.ts')).toMatchObject({ exit: 3 });
    expect(place.read('a.ts')).toBe('a');
  });

  it('refuses a val without code', async () => {
    const service = await scriptedService([{ body: { id, name: 'a', code: null } }]);
    const place = workspaceWith(service.env);
    expect(await place.vals('pull', id, '--json')).toMatchObject({
      exit: 11,
      error: { kind: 'bad_response' },
    });
    expect(readdirSync(place.folder)).not.toContain('a.ts');
  });
});

describe('push', () => {
  it('sends changed and new files, and reports the versions', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    place.put({ 'a.ts': 'a2', 'sub/d.ts': 'd' });
    await service.edit('c', 'c2');
    expect(await place.words(['push', '--dry-run'])).toEqual({
      'a.ts': 'planned',
      'b.ts': 'unchanged',
      'c.ts': 'behind',
      'sub/d.ts': 'planned',
    });
    const { exit, stdout } = await place.vals('push');
    expect(exit).toBe(0);
    expect(stdout.split('\n')[0]).toBe(`pushed\ta\t2\t${place.idOf('a.ts')}\ta.ts`);
    expect(place.manifest().vals['sub/d.ts']).toEqual({
      name: 'd',
      ids: { [service.process.baseUrl]: place.idOf('sub/d.ts') },
    });
    // --force is for files that changed here.
    expect(await place.words(['push', '--force'])).toMatchObject({ 'a.ts': 'unchanged', 'c.ts': 'behind' });
    expect(await service.code(place.idOf('c.ts'))).toBe('c2');
    expect(await place.rows(['push', 'a.ts'])).toEqual([
      { file: 'a.ts', name: 'a', status: 'unchanged', id: place.idOf('a.ts'), version: 2 },
    ]);
  });

  it('refuses a conflict with 5 and sends nothing for it, unless --force', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    place.put({ 'a.ts': 'mine', 'b.ts': 'b2' });
    await service.edit('a', 'theirs');
    // One val was pushed, another was not.
    const mixed = await place.rows(['push'], 9);
    expect(mixed.map(({ status }) => status)).toEqual(['failed', 'pushed', 'unchanged']);
    expect(mixed[0]?.error).toMatchObject({ kind: 'conflict', exit: 5 });
    expect(mixed[0]?.error?.hint).toMatch(/vals diff.*--merge.*--force/);
    // Nothing else had to be done, so the exit code is that of the conflict.
    expect((await place.rows(['push'], 5)).map(({ status }) => status)).toEqual([
      'failed',
      'unchanged',
      'unchanged',
    ]);
    expect(await place.vals('push', 'a.ts')).toMatchObject({ exit: 5 });
    expect(await service.code(place.idOf('a.ts'))).toBe('theirs');
    expect(await place.words(['push', '--force'])).toEqual({
      'a.ts': 'pushed',
      'b.ts': 'unchanged',
      'c.ts': 'unchanged',
    });
    expect(await service.versions(place.idOf('a.ts'))).toEqual(['a', 'theirs', 'mine']);
  });

  it('keeps the bases of two services apart', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const second = await startService();
    const elsewhere = new Place(place.folder, second.env);
    expect(await elsewhere.status()).toEqual({ 'a.ts': 'new' });
    expect(await elsewhere.words(['push'])).toEqual({ 'a.ts': 'created' });
    expect(Object.keys(place.manifest().vals['a.ts']?.ids ?? {}).sort()).toEqual(
      [service.process.baseUrl, second.process.baseUrl].sort(),
    );
    await second.edit('a', 'a2');
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
    expect(await elsewhere.status()).toEqual({ 'a.ts': 'changed there' });
    await elsewhere.rows(['pull']);
    expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
    await place.rows(['push']);
    expect(await service.code(place.idOf('a.ts'))).toBe('a2');
    const local = await run(['status', '--local', '--json'], { cwd: place.folder });
    expect(JSON.parse(local.stdout)).toEqual([{ file: 'a.ts', name: 'a', status: 'new' }]);
  });

  it('keeps the val of a file that was renamed in vals.json', async () => {
    const { place, service } = await pushed({ 'old.ts': 'a' });
    const before = place.idOf('old.ts');
    place.put({
      'lib/new.ts': 'a2',
      'vals.json': place.read('vals.json').replace('"old.ts"', '"lib/new.ts"'),
    });
    place.remove('old.ts');
    expect(await place.rows(['push'])).toEqual([
      { file: 'lib/new.ts', name: 'old', status: 'pushed', id: before, version: 2, versionBefore: 1 },
    ]);
    expect(await service.code(before)).toBe('a2');
    expect(await place.words(['push', 'lib'])).toEqual({ 'lib/new.ts': 'unchanged' });
  });

  it('status shortens ids, and leaves them out on a narrow screen', async () => {
    const { place } = await pushed({ 'a_rather_long_name.ts': 'a' });
    const at = (columns: number) => place.onScreen(['status', 'a_rather_long_name'], { columns });
    const id = place.idOf('a_rather_long_name.ts');
    expect((await at(80)).screen).toContain(`${id.slice(0, 8)}  a_rather`);
    const { screen } = await at(64);
    expect(screen).not.toContain(id.slice(0, 8));
    expect(screen).toMatch(/= unchanged\S* {2}a_rather_long_name {8}1 +a_rather_long_name\.ts/);
  });

  it('finds a file by the name of its val, and says when the service is ahead', async () => {
    const { place, service } = await pushed({ 'sub/a.ts': 'a', 'b.ts': 'b' });
    place.put({ 'sub/a.ts': 'a2' });
    expect(await place.words(['push', 'a'])).toEqual({ 'sub/a.ts': 'pushed' });
    await service.edit('b', 'theirs');
    const { exit, screen } = await place.onScreen(['push']);
    expect({ exit, screen }).toEqual({
      exit: 0,
      screen: expect.stringContaining('`vals pull` to get the changes'),
    });
    const { error } = await place.vals('val', 'get', 'a.ts', '--json');
    expect(error?.message).toContain('Did you mean "sub/a.ts"?');
  });

  it('warns of the conflict markers that --force sends', async () => {
    const { place } = await pushed({ 'a.ts': 'a' });
    place.put({ 'a.ts': '<<<<<<< here\na\n=======\nb\n>>>>>>> there\n' });
    expect(await place.vals('push')).toMatchObject({ exit: 5 });
    const { exit, stderr } = await place.vals('push', '--force');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('conflict markers') });
  });

  it('does not overwrite the edits of a val that others added to vals.json', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const { id } = await service.edit('b', 'b, edited by others');
    const manifest = JSON.parse(place.read('vals.json'));
    manifest.vals['b.ts'] = { name: 'b', ids: { [service.process.baseUrl]: id } };
    place.put({ 'vals.json': JSON.stringify(manifest), 'b.ts': 'b' });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'conflict' });
    const refused = await place.vals('push', '--json');
    expect(refused).toMatchObject({ exit: 5, error: { kind: 'conflict' } });
    expect(await service.code(id)).toBe('b, edited by others');
    await place.rows(['pull', '--force']);
    expect(place.read('b.ts')).toBe('b, edited by others');
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
  });

  it('recognises its own code on the service after a lost answer', async () => {
    let code = 'a';
    const service = await scriptedService([], (seen) => {
      if (seen.method === 'GET') return { body: { id, name: 'a', code, version: 1 } };
      code = JSON.parse(seen.body).code;
      return (response) => void response.destroy();
    });
    const place = new Place(temporaryFolder(), service.env);
    place.put({
      'a.ts': 'a',
      'vals.json': JSON.stringify({ vals: { 'a.ts': { name: 'a', ids: { [service.baseUrl]: id } } } }),
    });
    await place.rows(['status']);
    place.put({ 'a.ts': 'a2' });
    expect(await place.vals('push', '--timeout', '1')).toMatchObject({ exit: 8 });
    // The code on the service is known to come from here, even if the file has changed since.
    place.put({ 'a.ts': 'a3' });
    expect(await place.status()).toEqual({ 'a.ts': 'changed here' });
    place.put({ 'a.ts': 'a2' });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
    code = 'theirs';
    expect(await place.status()).toEqual({ 'a.ts': 'changed there' });
  });

  it('warns of a broken base, and does not send the file without --force', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a' });
    const folder = join(place.folder, '.vals/agreed');
    const file = join(folder, readdirSync(folder)[0] ?? '', `${place.idOf('a.ts')}.json`);
    writeFileSync(file, '{"id":');
    place.put({ 'a.ts': 'a2' });
    const { exit, stderr } = await place.vals('push');
    expect(exit).toBe(5);
    expect(stderr).toContain('cannot be read');
    expect(await service.code(place.idOf('a.ts'))).toBe('a');
    expect(await place.words(['push', '--force'])).toEqual({ 'a.ts': 'pushed' });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
  });

  it('reports a missing file and sends the others; an empty file stops the push before it begins', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    place.remove('a.ts');
    place.put({ 'b.ts': 'b2' });
    const { exit, stdout, stderr } = await place.vals('push', '--json');
    expect(exit).toBe(0);
    expect(stderr).toContain('a.ts is gone');
    expect(JSON.parse(stdout).map(({ status }: Row) => status)).toEqual(['skipped', 'pushed']);
    place.put({ 'a.ts': '', 'b.ts': 'b3' });
    expect(await place.words(['push'], 10)).toEqual({ 'a.ts': 'failed', 'b.ts': 'skipped' });
    expect(await service.code(place.idOf('b.ts'))).toBe('b2');
  });

  it('status fails with 7 without a service, and with 4 without a token', async () => {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    await service.process.end('SIGTERM');
    expect(await place.vals('status', '--timeout', '1', '--json')).toMatchObject({ exit: 7, stdout: '' });
    const signedOut = new Place(place.folder, { VALS_BASE_URL: service.process.baseUrl });
    expect(await signedOut.vals('status')).toMatchObject({ exit: 4, stdout: '' });
  });
});

describe('in a fresh checkout, which has no bases', () => {
  /** The val a was edited on the service. */
  async function freshCheckout() {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    await service.edit('a', 'theirs');
    place.remove('.vals');
    return { place, service };
  }

  it('push sends the file over the code of the service', async () => {
    const { place, service } = await freshCheckout();
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed', 'b.ts': 'unchanged' });
    expect(await service.versions(place.idOf('a.ts'))).toEqual(['a', 'theirs', 'a']);
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
  });

  it('a second push does the same for files that the first did not send', async () => {
    const { place } = await freshCheckout();
    place.put({ 'b.ts': 'b2' });
    expect(await place.words(['push', 'b.ts'])).toEqual({ 'b.ts': 'pushed' });
    expect(await place.status()).toEqual({ 'a.ts': 'changed here', 'b.ts': 'unchanged' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'pushed', 'b.ts': 'unchanged' });
  });

  it('status says that the newer side is unknown, and pull needs --force or --merge', async () => {
    const { place } = await freshCheckout();
    expect((await place.onScreen(['status'])).screen).toContain('vals cannot tell which side is newer');
    expect(await place.status()).toEqual({ 'a.ts': 'changed here', 'b.ts': 'unchanged' });
    expect(await place.vals('pull')).toMatchObject({ exit: 5 });
    expect(place.read('a.ts')).toBe('a');
    await place.rows(['pull', '--force']);
    expect(place.read('a.ts')).toBe('theirs');
    expect(backups(place)).toEqual(['a']);
  });
});

it('status compares hundreds of vals with 8 to 32 requests at a time', async () => {
  let now = 0;
  let most = 0;
  const count = 300;
  const service = await scriptedService([], (seen) => (response) => {
    now += 1;
    most = Math.max(most, now);
    setTimeout(() => {
      now -= 1;
      const id = seen.path.split('/').at(-1);
      response.end(JSON.stringify({ id, name: id, code: `${id}`, version: 1 }));
    }, 3);
  });
  const place = new Place(temporaryFolder(), service.env);
  const ids = Array.from({ length: count }, (_, index) => `val${index}`);
  place.put({
    'vals.json': JSON.stringify({
      vals: Object.fromEntries(ids.map((id) => [`v/${id}.ts`, { name: id, ids: { [service.baseUrl]: id } }])),
    }),
  });
  mkdirSync(join(place.folder, 'v'));
  for (const id of ids) place.put({ [`v/${id}.ts`]: id });
  const rows = await place.rows(['status']);
  expect(rows).toHaveLength(count);
  expect(rows.every(({ status }) => status === 'unchanged')).toBe(true);
  expect(most).toBeGreaterThanOrEqual(8);
  expect(most).toBeLessThanOrEqual(32);
});
