import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  newService,
  type Place,
  pushed,
  reachableService,
  type Service,
  serviceWith,
  workspaceWith,
} from './support.ts';

describe('a file that was moved with its content', () => {
  const note =
    'a.ts was moved to lib/two.ts. vals.json was updated, and the val keeps the name "a". To rename the val, run `vals val set a --name two`.\n';

  async function moved(args: string[], { isFresh = false, there = 'a' } = {}) {
    const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
    const id = place.idOf('a.ts');
    if (there !== 'a') await service.edit('a', there);
    // The service has another val with the name of the new file.
    await service.edit('two', 'other');
    place.remove('a.ts');
    place.put({ 'lib/two.ts': there });
    if (isFresh) place.loseRecords();
    return { place, service, id, result: await place.vals(...args) };
  }

  it.each([
    [['push'], {}],
    [['push', 'lib/two.ts'], {}],
    [['push', 'a'], {}],
    [['push', '--prune', '--yes'], { isFresh: true }],
    [['push', '--prune', '--yes'], { there: 'theirs' }],
  ])('keeps its val: %j %j', async (args, how) => {
    const { place, service, id, result } = await moved(args, how);
    expect(result).toMatchObject({ exit: 0, stderr: note });
    expect(result.stdout).toContain(`moved\ta\t`);
    expect(place.manifest().vals['lib/two.ts']).toMatchObject({ name: 'a' });
    expect(place.idOf('lib/two.ts')).toBe(id);
    expect(Object.keys(place.manifest().vals)).toEqual(['b.ts', 'lib/two.ts']);
    expect(await place.status()).toEqual({ 'b.ts': 'unchanged', 'lib/two.ts': 'unchanged' });
    expect(await service.code(id)).toBe('there' in how ? 'theirs' : 'a');
  });

  it.each([{}, { isFresh: true }])(
    'is shown by status and dry runs, which change nothing: %j',
    async (how) => {
      const { place } = await moved(['push', '--dry-run'], how);
      expect(await place.status()).toEqual({ 'b.ts': 'unchanged', 'lib/two.ts': 'moved here' });
      expect(await place.words(['push', '--dry-run'])).toEqual({
        'b.ts': 'unchanged',
        'lib/two.ts': 'planned',
      });
      expect((await place.vals('diff')).stdout).toBe('');
      expect(Object.keys(place.manifest().vals)).toEqual(['a.ts', 'b.ts']);
    },
  );

  it.each(['status', 'push'])('is where a pull writes the code of its val, after a %s', async (command) => {
    const { place, service, id } = await moved(['status']);
    await service.edit('a', 'theirs');
    const diff = await place.onScreen(['diff'], { columns: 1_000 });
    expect(diff.screen).toContain('To write the new path into vals.json, run `vals push lib/two.ts`');
    expect(await place.vals(command)).toMatchObject({ exit: 0 });
    expect(await place.words(['pull'])).toEqual({ 'b.ts': 'unchanged', 'lib/two.ts': 'pulled' });
    expect(place.read('lib/two.ts')).toBe('theirs');
    expect(place.idOf('lib/two.ts')).toBe(id);
  });

  it('is recognised among files of the same content only if it kept its name', async () => {
    const { place } = await pushed({ 'a.ts': 'same', 'b.ts': 'same', 'c.ts': 'same' });
    place.remove('a.ts', 'b.ts', 'c.ts');
    place.put({ 'lib/a.ts': 'same', 'x/b.ts': 'same', 'y/b.ts': 'same', 'z.ts': 'same' });
    const { stderr } = await place.vals('push', 'lib/a.ts');
    expect(stderr).toBe('a.ts was moved to lib/a.ts. vals.json was updated.\n');
    expect(Object.keys(place.manifest().vals)).toEqual(['b.ts', 'c.ts', 'lib/a.ts']);
  });
});

it.each(['.a.ts', 'aux/a.ts'])(
  'a file that was moved to %s, which vals.json cannot list, is missing',
  async (path) => {
    const { place } = await pushed({ 'a.ts': 'a' });
    place.remove('a.ts');
    place.put({ [path]: 'a' });
    expect(await place.status()).toEqual({ 'a.ts': 'missing here' });
  },
);

describe('a file whose path has another spelling now', () => {
  const spellings = [
    ['case', 'hello.ts', 'Hello.ts'],
    ['case of its folder', 'lib/hello.ts', 'Lib/hello.ts'],
    ['Unicode normalization', 'b\u00e4r/hello.ts', 'ba\u0308r/hello.ts'],
  ] as const;

  it.each(spellings)('keeps its val if it was edited too: another %s', async (_what, from, to) => {
    const { place } = await pushed({ [from]: 'a', 'b.ts': 'b' });
    const id = place.idOf(from);
    place.remove(from);
    place.put({ [to]: 'edited' });
    // On some systems, both spellings mean one file.
    if (existsSync(join(place.folder, from))) return;
    expect(await place.vals('push', '--prune', '--yes')).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining(`${from} was moved to ${to}. vals.json was updated`),
    });
    expect(place.idOf(to)).toBe(id);
    expect(await place.status()).toEqual({ [to]: 'unchanged', 'b.ts': 'unchanged' });
  });
});

describe('two files whose paths differ only in case', () => {
  const leftOut = (file: string, other: string) =>
    `warning: ${file} was not used as a val, because on some systems it is the same file as ${other}. Rename one of them.\n`;

  it('are not both pushed, and push says so', async () => {
    const { place } = await pushed({ 'a.ts': 'a' });
    place.put({ 'HELLO.ts': 'one', 'hello.ts': 'two' });
    if (place.read('HELLO.ts') === 'two') return;
    expect(await place.vals('push')).toMatchObject({ exit: 0, stderr: leftOut('hello.ts', 'HELLO.ts') });
    expect(await place.words(['push'])).toEqual({ 'HELLO.ts': 'unchanged', 'a.ts': 'unchanged' });
  });

  it('are not both pushed if vals.json has one of them, and no new file is guessed to be the old one', async () => {
    const { place } = await pushed({ 'hello.ts': 'a' });
    place.put({ 'Hello.ts': 'b' });
    if (place.read('hello.ts') === 'b') return;
    expect(await place.vals('push')).toMatchObject({ exit: 0, stderr: leftOut('Hello.ts', 'hello.ts') });
    place.remove('hello.ts');
    place.put({ 'HELLO.ts': 'b' });
    expect(await place.status()).toEqual({ 'hello.ts': 'missing here' });
  });
});

describe('vals forget', () => {
  it('takes a val out of vals.json and ignores its file; file and service stay', async () => {
    const file = '#lib [x]!/b.ts';
    const { place, service } = await pushed({ [file]: 'x', 'a.ts': 'a', '.valsignore': 'other.ts' });
    const id = place.idOf(file);
    expect((await place.vals('forget', 'a.tss')).stderr).toContain('Did you mean "a.ts"?');
    expect(await place.words(['forget', 'b', '--dry-run'])).toEqual({ [file]: 'planned' });
    expect(Object.keys(place.manifest().vals)).toEqual([file, 'a.ts']);
    expect(await place.rows(['forget', 'b', id])).toEqual([{ file, name: 'b', status: 'forgotten' }]);
    expect(Object.keys(place.manifest().vals)).toEqual(['a.ts']);
    expect(place.read('.valsignore')).toBe('other.ts\n/\\#lib\\ \\[x\\]\\!/b.ts\n');
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
    expect(place.read(file)).toBe('x');
    expect(await service.code(id)).toBe('x');
    expect(await place.words(['push', file])).toEqual({ [file]: 'unchanged' });
    expect(place.idOf(file)).toBe(id);
  });

  it('ignores the file even if a .valsignore has an exception for it', async () => {
    const { place } = await pushed({ 'a.ts': 'a', 'lib/b.ts': 'b', 'lib/c.ts': 'c', 'sub/d.ts': 'd' });
    place.put({
      '.valsignore': '/a.ts\n!*.ts\n',
      'lib/.valsignore': '!b.ts\n',
      'sub/.valsignore': '/d.ts\n!d.ts\n',
    });
    const forgotten = { 'a.ts': 'forgotten', 'lib/b.ts': 'forgotten', 'sub/d.ts': 'forgotten' };
    expect(await place.words(['forget', 'a', 'b', 'd'])).toEqual(forgotten);
    expect(await place.status()).toEqual({ 'lib/c.ts': 'unchanged' });
    expect(await place.words(['push', '.'])).toEqual({ 'lib/c.ts': 'unchanged' });
  });
});

it('a file that was moved to another folder keeps its val without a record, even if it was edited', async () => {
  const { place } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  const id = place.idOf('a.ts');
  place.put({ 'vals.json': place.read('vals.json').replace('"b"', '"other"') });
  await place.rows(['push']);
  place.loseRecords();
  place.remove('a.ts', 'b.ts');
  place.put({ 'lib/a.ts': 'edited', 'lib/b.ts': 'b' });
  expect(await place.words(['push', '--yes'])).toEqual({ 'lib/a.ts': 'pushed', 'lib/b.ts': 'moved' });
  expect(place.idOf('lib/a.ts')).toBe(id);
  expect(place.manifest().vals['lib/b.ts']?.name).toBe('other');
});

describe('a file that was renamed and edited at once', () => {
  const code = (...last: string[]) => ['one', 'two', 'three', ...last].map((line) => `// ${line}\n`).join('');
  const hintsOf = async (place: Place) => (await place.onScreen(['status'], { columns: 200 })).screen;

  it('is mentioned by status and push, with and without a record, and keeps its val after vals.json is edited', async () => {
    const { place } = await pushed({ 'old.ts': code('four'), 'other.ts': 'other' });
    place.remove('old.ts');
    place.put({ 'new.ts': code('edited') });
    const hint = 'old.ts is missing, and the new file new.ts has similar code.';
    expect(await hintsOf(place)).toContain(hint);
    expect((await place.vals('push', '--dry-run')).stderr).toContain(hint);
    place.put({ 'vals.json': place.read('vals.json').replace('old.ts', 'new.ts') });
    expect(await place.status()).toEqual({ 'new.ts': 'changed here', 'other.ts': 'unchanged' });
    place.put({ 'vals.json': place.read('vals.json').replace('new.ts', 'old.ts') });
    place.loseRecords();
    expect((await place.vals('push', '--dry-run')).stderr).toContain(hint);
  });

  async function renamed() {
    const { place, service } = await pushed({ 'greet.ts': code('four'), 'other.ts': 'other' });
    const id = place.idOf('greet.ts');
    place.remove('greet.ts');
    place.put({ 'welcome.ts': code('edited') });
    return { place, service, id };
  }

  it.each(['with a record', 'in a fresh checkout'])(
    'is a question at a terminal, %s: yes keeps the val, no makes a second one',
    async (where) => {
      const question = 'Is welcome.ts the val greet, whose file greet.ts is gone? [Y/n]';
      const { place, service, id } = await renamed();
      if (where !== 'with a record') place.loseRecords();
      const { screen } = await place.onScreen(['push', '--dry-run'], { columns: 200, answers: [] });
      expect(screen).toContain(`A push would ask: ${question.replace(' [Y/n]', '')}`);
      const answers = [{ after: question, keys: '\r' }];
      expect((await place.onScreen(['push'], { answers })).exit).toBe(0);
      expect(await service.code(id)).toBe(code('edited'));
      expect(place.manifest().vals['welcome.ts']).toMatchObject({ name: 'greet' });
      expect(Object.keys(place.manifest().vals)).toEqual(['other.ts', 'welcome.ts']);

      const second = await renamed();
      const no = [{ after: question, keys: 'n\r' }];
      expect((await second.place.onScreen(['push'], { answers: no })).exit).toBe(0);
      expect(await second.service.versions(second.id)).toHaveLength(1);
      expect(second.place.idOf('welcome.ts')).not.toBe(second.id);
    },
  );

  it('keeps the answer yes in vals.json, although the push is then a conflict', async () => {
    const { place, service } = await renamed();
    await service.edit('greet', 'theirs');
    const answers = [{ after: '[Y/n]', keys: 'y\r' }];
    expect((await place.onScreen(['push'], { answers })).exit).toBe(5);
    expect(Object.keys(place.manifest().vals)).toEqual(['other.ts', 'welcome.ts']);
    expect(await place.status()).toEqual({ 'other.ts': 'unchanged', 'welcome.ts': 'conflict' });
    expect(await place.vals('push', 'welcome.ts', '--force')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^pushed\tgreet\t/),
    });
  });

  it('is a new val without a terminal, and --prune keeps the old one until vals.json lists the file', async () => {
    const { place, service, id } = await renamed();
    const prune = ['push', '--prune', '--yes'];
    const dry = await place.vals(...prune, '--dry-run');
    expect(dry).toMatchObject({
      exit: 9,
      stderr: expect.stringContaining('would be pushed as a new val'),
    });
    const { exit, stdout, stderr } = await place.vals(...prune, '--json');
    const [greet, , welcome] = JSON.parse(stdout);
    expect({ exit, greet, welcome }).toMatchObject({
      exit: 9,
      greet: { status: 'failed' },
      welcome: { status: 'created' },
    });
    expect(greet.error).toMatchObject({
      exit: 5,
      hint: expect.stringContaining('change the entry "greet.ts" in vals.json to "welcome.ts"'),
    });
    expect(stderr).toContain('is pushed as a new val');
    expect((await place.vals('push')).stderr).toContain('greet.ts is gone');
    expect(await service.code(id)).toBe(code('four'));
    expect(await place.words(prune)).toMatchObject({ 'greet.ts': 'deleted' });
  });

  it("is no new val if CI has made one of it, and only a person can say that it is the missing one's", async () => {
    const { place, service, id } = await renamed();
    await service.edit('welcome', code('edited'));
    const there = 'has similar code. On the service, welcome.ts is the val "welcome". If welcome.ts is';
    expect(await hintsOf(place)).toContain(there);
    const { exit, stdout, stderr } = await place.vals('push', '--dry-run');
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringContaining('unchanged\twelcome\t') });
    expect(stderr).toContain(there);
    expect(await place.words(['push', '--prune', '--yes', '--dry-run'], 5)).toMatchObject({
      'greet.ts': 'failed',
    });
    const answers = [{ after: '[Y/n]', keys: 'y\r' }];
    expect((await place.onScreen(['push'], { answers })).exit).toBe(0);
    expect(await service.code(id)).toBe(code('edited'));
  });

  it('is confirmed for its own workspace alone', async () => {
    const { service, place: top } = await pushed({});
    top.remove('vals.json');
    top.put({ 'a/vals.json': '{"vals":{}}', 'a/greet.ts': code('four'), 'b/welcome.ts': 'b' });
    top.put({ 'b/vals.json': '{"vals":{"welcome.ts":{"name":"hello"}}}' });
    expect((await top.vals('push', 'a', 'b')).exit).toBe(0);
    const { id } = await service.edit('hello', 'theirs');
    top.loseRecord('welcome.ts');
    top.remove('a/greet.ts');
    top.put({ 'a/welcome.ts': code('edited') });
    const answers = [
      { after: '[Y/n]', keys: 'y\r' },
      { after: '[y/N]', keys: 'n\r' },
    ];
    expect((await top.onScreen(['push', 'a', 'b'], { answers })).exit).toBe(9);
    expect(await service.code(id)).toBe('theirs');
  });

  it('is not guessed if two files are similar, or if little of it is left', async () => {
    const { place } = await pushed({ 'old.ts': code('four') });
    place.remove('old.ts');
    place.put({ 'new.ts': code('edited'), 'twin.ts': code('edited too') });
    expect(await hintsOf(place)).not.toContain('similar code');
    place.remove('twin.ts');
    place.put({ 'new.ts': '// one\n// more\n// and more\n// and even more\n' });
    expect(await hintsOf(place)).not.toContain('similar code');
  });
});

it('a val whose file was moved and edited is older on a branch that has the old file, not changed there', async () => {
  const { place } = await pushed({ 'a.ts': 'first' });
  const older = place.manifest();
  place.remove('a.ts');
  place.put({ 'lib/a.ts': 'second' });
  expect(await place.vals('push', '--yes')).toMatchObject({ exit: 0 });
  place.remove('lib/a.ts');
  place.put({ 'a.ts': 'first', 'vals.json': JSON.stringify(older) });
  expect(await place.status()).toEqual({ 'a.ts': 'older here' });
});

it('a val can be renamed, moved and edited in one push', async () => {
  const { place, service } = await pushed({ 'a.ts': 'same\nfirst' });
  const id = place.idOf('a.ts');
  const manifest = JSON.stringify(place.manifest()).replace('"name":"a"', '"name":"renamed"');
  place.remove('a.ts');
  place.put({ 'lib/renamed.ts': 'same\nsecond', 'vals.json': manifest });
  expect(await place.vals('push')).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('lib/renamed.ts'),
  });
  expect(await service.code(id)).toBe('same\nsecond');
});

it('a move is announced only after the new code was sent, because until then vals.json has the old path', async () => {
  let isRefused = false;
  const { env } = await serviceWith(({ method }) =>
    isRefused && method === 'PUT' ? { status: 422, body: {} } : undefined,
  );
  const place = workspaceWith(env, { 'a.ts': 'same\nfirst' });
  await place.rows(['push']);
  place.remove('a.ts');
  place.put({ 'lib/a.ts': 'same\nsecond' });
  isRefused = true;
  const refused = await place.vals('push');
  expect({ exit: refused.exit, stderr: refused.stderr }).toEqual({
    exit: 6,
    stderr: expect.not.stringContaining('was moved'),
  });
  expect(Object.keys(place.manifest().vals)).toEqual(['a.ts']);
  isRefused = false;
  expect((await place.vals('push')).stderr).toContain('a.ts was moved to lib/a.ts. vals.json was updated.');
});

describe('a new file with the name of a val whose file is gone', () => {
  async function withNamesake(code: string, service?: Service) {
    const { place, service: there } = await pushed({ 'a.ts': 'one\ntwo\nthree\n' }, service);
    const id = place.idOf('a.ts');
    place.remove('a.ts');
    place.put({ 'lib/a.ts': code });
    return { place, service: there, id };
  }

  it.each([
    ['in vals.json', reachableService],
    ['in the record', newService],
  ])('differs if its code is unrelated, so it is not sent unasked; the id is %s', async (_where, start) => {
    const { place, service, id } = await withNamesake('unrelated', await start());
    expect(await place.status()).toEqual({ 'lib/a.ts': 'differs' });
    expect(await place.words(['push', '--dry-run'], 5)).toEqual({ 'lib/a.ts': 'failed' });
    expect(await place.words(['push', 'lib/a.ts'], 5)).toEqual({ 'lib/a.ts': 'failed' });
    expect(await place.words(['pull'], 5)).toEqual({ 'lib/a.ts': 'failed' });
    expect(await service.versions(id)).toHaveLength(1);
    expect(await place.words(['push', '--prune', '--yes'])).toEqual({ 'lib/a.ts': 'pushed' });
    expect(place.idOf('lib/a.ts')).toBe(id);
    expect(await service.versions(id)).toEqual(['one\ntwo\nthree\n', 'unrelated']);
  });

  it('is the moved file if its code is similar', async () => {
    const { place, id } = await withNamesake('one\ntwo\nfour\n');
    expect(await place.status()).toEqual({ 'lib/a.ts': 'changed here' });
    expect(await place.words(['push'])).toEqual({ 'lib/a.ts': 'pushed' });
    expect(place.idOf('lib/a.ts')).toBe(id);
  });

  it('does not hide that it is similar to another val whose file is gone', async () => {
    const { place } = await pushed({ 'a.ts': 'a', 'b.ts': 'one\ntwo\nthree\n' });
    place.remove('a.ts', 'b.ts');
    place.put({ 'lib/a.ts': 'one\ntwo\nfour\n' });
    expect(await place.words(['push', '--prune', '--yes'], 9)).toEqual({
      'b.ts': 'failed',
      'lib/a.ts': 'pushed',
    });
  });
});

it('a file is not taken for a missing one only because both are called index.ts', async () => {
  const { place, service } = await pushed({ 'a/index.ts': 'api' });
  const id = place.idOf('a/index.ts');
  place.put({ 'vals.json': JSON.stringify(place.manifest()).replace('"name":"index"', '"name":"api"') });
  expect(await place.vals('push')).toMatchObject({ exit: 0 });
  place.remove('a/index.ts');
  place.put({ 'tools/index.ts': 'secret' });
  await place.vals('push', '--yes');
  expect(await service.code(id)).toBe('api');
});
