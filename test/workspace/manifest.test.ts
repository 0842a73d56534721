import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { manifestSchema } from '../../src/workspace/manifest-keys.ts';
import { has } from '../support/features.ts';
import { run, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { Place, reachableService, withEverything, workspaceWith } from './places.ts';

describe('a vals.json that makes no sense is exit 10, with one sentence and the way on', () => {
  it.each([
    ['{', 'is not JSON', 'restore it from git'],
    ['{\n<<<<<<< HEAD\n=======\n>>>>>>> other\n}\n', 'has conflict markers', 'remove the conflict'],
    ['{"vals": {}}', 'has an unknown key, "vals"', 'Remove the key'],
    ['{"baseUrl": "http://127.0.0.1:1", "token": "x"}', 'has an unknown key, "baseUrl"', 'Remove the key'],
    ['{"services": {}}', 'must have a list of base URLs', 'restore it from git'],
    ['{"services": ["a b"]}', 'has "a b" in "services"', 'such as https://vals.example.com'],
    ['{"$schema": 1}', 'must have a text as "$schema"', 'restore it from git'],
    [
      '{"toString": 1}',
      'has an unknown key, "toString"',
      'only "$schema", "services", "names", "privacy" and "ids"',
    ],
    ['{"privacy": 1}', 'must have a word as "privacy"', 'restore it from git'],
    ['{"ids": {"a b": {}}}', 'has "a b" in "ids"', 'such as https://vals.example.com'],
    ['{"ids": {"https://vals.test": {"a": ""}}}', 'texts for each service as "ids"', 'restore it from git'],
    ['{"names": {"a.ts": 1}}', 'must have an object of texts as "names"', 'restore it from git'],
    ['{"names": {"../a.ts": "x"}}', 'leads out of the workspace', 'relative to vals.json'],
    ['{"names": {".git/config": "x"}}', 'begins with a dot', 'relative to vals.json'],
  ])('%j', async (text, problem, hint) => {
    const place = workspaceWith((await startStrict()).env, { 'vals.json': text, 'a.ts': 'a' });
    for (const command of ['status', 'init']) {
      const { exit, stdout, stderr } = await place.vals(command);
      expect({ command, exit, stdout }).toEqual({ command, exit: 10, stdout: '' });
      expect(stderr).toMatch(/^error: vals\.json .*\nhint: .*\n$/);
      expect(stderr).toContain(problem);
      expect(stderr).toContain(hint);
    }
    expect(place.read('vals.json')).toBe(text);
  });

  it('but not one with all keys, after a byte order mark, and a name without a file is said', async () => {
    const ids = '"ids": {"https://vals.test": {"a": "x"}}';
    const text = `\ufeff{"services": [], "names": {"b.ts": "c"}, "privacy": "private", ${ids}}`;
    const place = workspaceWith((await startStrict()).env, { 'vals.json': text, 'a.ts': 'a' });
    const { stdout, stderr } = await place.vals('push');
    expect(stdout).toMatch(/^created\ta\t/);
    expect(stderr).toBe('"names" of vals.json has b.ts, but there is no such file.\n');
    expect(place.read('vals.json')).toBe(text);
  });
});

describe('$schema, for editors', () => {
  it('names vals.schema.json of the package, which takes what vals takes', async () => {
    await expect(`${JSON.stringify(manifestSchema(), undefined, 2)}\n`).toMatchFileSnapshot(
      '../../vals.schema.json',
    );
    expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('vals.schema.json');
    const takes = new Ajv().compile(JSON.parse(readFileSync('vals.schema.json', 'utf8')));
    const ids = { 'https://vals.test': { a: 'x' } };
    const whole = { services: ['https://vals.test'], names: { 'b.ts': 'c' }, privacy: 'private', ids };
    const place = workspaceWith((await startStrict()).env, { 'b.ts': 'b' });
    for (const [content, isRight] of [
      [{}, true],
      [{ $schema: './vals.schema.json', ...whole }, true],
      [{ vals: {} }, false],
      [{ $schema: '' }, false],
      [{ services: {} }, false],
      [{ services: [''] }, false],
      [{ names: { 'a.ts': 1 } }, false],
      [{ privacy: '' }, false],
      [{ ids: { 'https://vals.test': [] } }, false],
      [{ ids: { 'https://vals.test': { a: '' } } }, false],
    ] as const) {
      place.put({ 'vals.json': JSON.stringify(content) });
      const { exit } = await place.vals('status');
      expect({ content, schema: takes(content), exit }).toEqual({
        content,
        schema: isRight,
        exit: isRight ? 0 : 10,
      });
    }
  });

  it('is kept, as the first key, by a command that writes vals.json', async () => {
    const service = await reachableService('vals.test', withEverything);
    const place = workspaceWith(service.env, { 'a.ts': 'a', 'vals.json': '{"$schema": "./x.json"}' });
    await place.rows(['push']);
    expect(JSON.stringify(place.manifest())).toBe('{"$schema":"./x.json","services":["http://vals.test"]}');
  });
});

describe('the services that vals belong to', () => {
  /** A workspace of vals.test, seen with the settings of another service. */
  async function elsewhere() {
    const ours = await reachableService('vals.test', withEverything);
    const theirs = await reachableService('other.test', withEverything);
    const home = workspaceWith(ours.env, { 'a.ts': 'a' });
    await home.rows(['push']);
    return { home, place: new Place(home.folder, theirs.env, home.home), theirs };
  }

  it.each(['sends something', 'finds all unchanged'])(
    'a first push that %s lists a service that others can reach, a dry run does not',
    async (what) => {
      const service = await reachableService('vals.test', withEverything);
      if (what === 'finds all unchanged') service.edit('a', 'a');
      const place = workspaceWith(service.env, { 'a.ts': 'a' });
      await place.rows(['push', '--dry-run']);
      expect(place.manifest()).toEqual({});
      await place.rows(['push']);
      expect(place.read('vals.json')).toBe('{\n  "services": [\n    "http://vals.test"\n  ]\n}\n');
    },
  );

  it('another one is exit 2 for every command that writes, and no flag and no terminal changes that', async () => {
    const { place, theirs } = await elsewhere();
    theirs.edit('a', 'theirs');
    for (const words of [
      'push',
      'push a.ts --force',
      'push --yes',
      'pull',
      'push --prune --yes',
      'push --watch',
    ]) {
      const args = words.split(' ');
      const { exit, stderr } = await place.vals(...args);
      expect({ args, exit }).toEqual({ args, exit: 2 });
      expect(stderr).toContain(
        'These vals belong to http://vals.test, but the service in use is http://other.test.',
      );
      expect(stderr).toContain('--base-url http://vals.test');
      expect(stderr).toContain('`vals init`');
    }
    expect((await place.onScreen(['push'], { answers: [] })).exit).toBe(2);
    expect([place.read('a.ts'), theirs.code('a')]).toEqual(['a', 'theirs']);
    expect(place.manifest()).toEqual({ services: ['http://vals.test'] });
  });

  it('reading is allowed, and vals init adds the service in use', async () => {
    const { place } = await elsewhere();
    expect((await place.vals('status')).stdout).toContain('new');
    const { stdout } = await place.vals('init', '--json');
    const services = ['http://vals.test', 'http://other.test'];
    expect(JSON.parse(stdout)).toEqual({ status: 'updated', file: 'vals.json', services });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'created' });
  });

  it('services on this machine are always allowed, and never listed', async () => {
    const { home } = await elsewhere();
    const local = has('service') ? [{ VALS_LOCAL: '1' }] : [];
    for (const env of [...local, (await startStrict()).env]) {
      const place = new Place(home.folder, env, home.home);
      expect(await place.words(['push'])).toEqual({ 'a.ts': 'created' });
      await place.vals('init');
    }
    expect(home.manifest()).toEqual({ services: ['http://vals.test'] });
  });
});

describe('init', () => {
  it('makes an empty folder a workspace, and is safe to run again', async () => {
    const place = new Place(temporaryFolder(), {});
    for (const status of ['created', 'unchanged']) {
      expect(await place.vals('init', '--json')).toMatchObject({
        exit: 0,
        stdout: `{"status":"${status}","file":"vals.json","services":[]}\n`,
        stderr: '',
      });
      expect(place.read('vals.json')).toBe('{}\n');
    }
  });

  it('counts the files that a push takes, and says what it leaves out', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({ 'b.ts': 'b', 'sub/a.js': 'a', 'x.d.ts': '', '.env.ts': '', 'node_modules/n.ts': '' });
    place.put({ '.gitignore': 'out/', 'out/o.ts': '', 'a.test.ts': 'a', 'eslint.config.mjs': 'b' });
    symlinkSync('nowhere', join(place.folder, 'link.ts'));
    const { stderr } = await place.vals('init');
    expect(stderr).toContain('warning: link.ts was not used, because it is a link that leads nowhere.\n');
    expect((await place.onScreen(['init'])).screen).toContain('`vals push`');
    place.remove('vals.json');
    expect((await place.onScreen(['init'])).screen).toContain('is now a workspace with 2 vals.');
  });

  it('refuses a folder inside a workspace', async () => {
    const place = new Place(temporaryFolder(), {});
    place.put({ 'vals.json': '{}', 'sub/a.ts': 'a' });
    const inside = await run(['init', '--json'], { cwd: join(place.folder, 'sub') });
    expect(inside).toMatchObject({ exit: 2, error: { hint: expect.any(String) } });
    expect(existsSync(join(place.folder, 'sub/vals.json'))).toBe(false);
  });
});

it('outside of a workspace, its commands are exit 2 and name init', async () => {
  for (const args of [['status'], ['diff'], ['pull'], ['push'], ['push', '--watch']]) {
    expect(await run([...args, '--local'])).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: expect.stringContaining('`vals --local init`'),
    });
  }
});
