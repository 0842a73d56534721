import { describe, expect, it } from 'vitest';
import { formatManifest, parseManifest } from '../../src/workspace/disk/manifest.ts';
import { folderOf, run, valNames } from '../support/program.ts';
import { newService, Place, pushed, workspaceWith } from './support.ts';

describe('an invalid vals.json is refused with the place of the mistake, and is not changed', () => {
  const entry = (file: string, value: unknown = { name: 'a' }) => JSON.stringify({ vals: { [file]: value } });
  const two = (file: string, other: string, both: object = {}) =>
    JSON.stringify({ vals: { [file]: { name: file, ...both }, [other]: { name: other, ...both } } });
  it.each<[string, string, string]>([
    ['not JSON', '{"vals": {', 'is not JSON'],
    ['a merge of git', '{\n<<<<<<< HEAD\n=======\n>>>>>>> main\n}', 'has conflict markers of git'],
    ['an array', '[]', 'is not a JSON object'],
    ['vals that are a list', '{"vals": []}', '"vals"'],
    ['an entry that is text', entry('a.ts', 'a'), 'vals["a.ts"]'],
    ['no name', entry('a.ts', {}), '"name"'],
    ['a name that is a number', entry('a.ts', { name: 1 }), '"name"'],
    ['ids that are a list', entry('a.ts', { name: 'a', ids: [] }), '"ids"'],
    ['an id that is a number', entry('a.ts', { name: 'a', ids: { local: 1 } }), 'local'],
    ['an absolute path', entry('/etc/passwd'), '/etc/passwd'],
    ['a path of Windows', entry('C:\\a.ts'), 'C:\\a.ts'],
    ['a path that leads out by a detour', entry('b/../../a.ts'), 'out of the workspace'],
    ['a path into .git', entry('.git/config'), 'begins with a dot'],
    ['itself', entry('VALS.json'), 'vals.json itself'],
    ['an empty path', entry(''), 'is empty'],
    ['one name twice', two('a.ts', 'b.ts', { name: 'a' }), 'a.ts and b.ts'],
    [
      'one id twice',
      two('a.ts', 'b.ts', { ids: { 'https://x': '2' } }),
      'id 2 on https://x to two files: a.ts and b.ts',
    ],
    ['two files that differ in case', two('a.ts', 'A.ts'), 'one file'],
    ['two files that differ in their Unicode form', two('\u00e9.ts', 'e\u0301.ts'), 'one file'],
  ])('%s', async (_what, text, message) => {
    const cwd = folderOf({ 'vals.json': text });
    const { exit, stdout, error } = await run(['status', '--local', '--json'], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 10, stdout: '' });
    expect(error).toMatchObject({ kind: 'local', hint: expect.any(String) });
    expect(error?.message).toContain('vals.json');
    expect(error?.message).toContain(message);
    expect(new Place(cwd, {}).read('vals.json')).toBe(text);
  });
});

it('vals.json is written in a fixed order, and keeps unknown keys', () => {
  const text = `{
    "future": ["one", {"b": 1}],
    "vals": {
      "b.ts": { "tags": ["x"], "ids": { "https://b": "2", "https://a": "1" }, "name": "b" },
      "__proto__": { "name": "c" },
      "a.ts": { "name": "a" }
    },
    "$schema": "https://example.com/schema.json"
  }`;
  const written = formatManifest(parseManifest(text));
  expect(written).toBe(
    `${JSON.stringify(
      {
        future: ['one', { b: 1 }],
        $schema: 'https://example.com/schema.json',
        vals: {
          ['__proto__']: { name: 'c' },
          'a.ts': { name: 'a' },
          'b.ts': { name: 'b', ids: { 'https://a': '1', 'https://b': '2' }, tags: ['x'] },
        },
      },
      null,
      2,
    )}\n`,
  );
  expect(formatManifest(parseManifest(written))).toBe(written);
});

it('vals.json is not rewritten if nothing changed, whatever its format', async () => {
  const { place } = await pushed({ 'a.ts': 'a' });
  const odd = JSON.stringify(JSON.parse(place.read('vals.json')));
  place.put({ 'vals.json': odd, 'a.ts': 'b' });
  for (const command of ['push', 'status', 'pull', 'init']) expect((await place.vals(command)).exit).toBe(0);
  expect(place.read('vals.json')).toBe(odd);
});

it('vals.json loses no entry if several commands write at once', async () => {
  const service = await newService();
  const files = valNames(12).map((name) => `${name}.ts`);
  const contents = Object.fromEntries(files.map((file) => [file, 'code']));
  const place = workspaceWith(service.env, contents);
  await Promise.all(files.map((file) => place.rows(['push', file])));
  expect(Object.keys(place.manifest().vals).sort()).toEqual(files.sort());
  for (const file of files) expect(place.idOf(file)).not.toBe('');
});
