import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Place, pushed } from './support.ts';

describe('a file that was moved with its content', () => {
  it.each([['status'], ['push'], ['push', 'lib/two.ts'], ['pull'], ['diff']])(
    'keeps its val: %s %s',
    async (...args) => {
      const { place } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
      const id = place.idOf('a.ts');
      place.remove('a.ts');
      place.put({ 'lib/two.ts': 'a' });
      const { exit, stderr } = await place.vals(...args);
      expect({ exit, stderr }).toEqual({
        exit: 0,
        stderr: 'a.ts was moved to lib/two.ts. vals.json was updated.\n',
      });
      expect(place.manifest().vals['lib/two.ts']).toMatchObject({ name: 'a' });
      expect(place.idOf('lib/two.ts')).toBe(id);
      expect(Object.keys(place.manifest().vals)).toEqual(['b.ts', 'lib/two.ts']);
      expect(await place.status()).toEqual({ 'b.ts': 'unchanged', 'lib/two.ts': 'unchanged' });
    },
  );

  it('is recognised among files of the same content only if it kept its name', async () => {
    const { place } = await pushed({ 'a.ts': 'same', 'b.ts': 'same', 'c.ts': 'same' });
    place.remove('a.ts', 'b.ts', 'c.ts');
    place.put({ 'lib/a.ts': 'same', 'x/b.ts': 'same', 'y/b.ts': 'same', 'z.ts': 'same' });
    const moved = (await place.vals('status')).stderr.match(/.* was moved to .*/g);
    expect(moved).toEqual(['a.ts was moved to lib/a.ts. vals.json was updated.']);
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
      stderr: `${from} was moved to ${to}. vals.json was updated.\n`,
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
  expect(await place.words(['push', '--yes'])).toEqual({ 'lib/a.ts': 'pushed', 'lib/b.ts': 'unchanged' });
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

  it('is mentioned if a colleague pushed its code, and the record is older', async () => {
    const { place, service } = await pushed({ 'old.ts': code('four') });
    await service.edit('old', '// rewritten\n');
    place.remove('old.ts');
    place.put({ 'new.ts': '// rewritten\n' });
    const hint = 'old.ts is missing, and the new file new.ts has similar code.';
    expect(await hintsOf(place)).toContain(hint);
    expect((await place.vals('push', '--dry-run')).stderr).toContain(hint);
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
