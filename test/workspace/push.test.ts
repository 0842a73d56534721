import { randomUUID } from 'node:crypto';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/core/errors.ts';
import { patient } from '../support/clocks.ts';
import { inProcess } from '../support/in-process.ts';
import { ends, environment, program } from '../support/program.ts';
import type { Reply, Seen } from '../support/scripted-service.ts';
import { usualFields } from '../support/strict/switches.ts';
import { startStrict } from '../support/strict-service.ts';
import {
  kindsOfServices,
  loseAnswer,
  Place,
  pushed,
  reachableService,
  repository,
  serviceWith,
  withEverything,
  workspaceWith,
} from './places.ts';

describe.each(kindsOfServices)('on a service with %s', (_kind, switches) => {
  const start = async (files: Record<string, string>) => pushed(files, await startStrict(switches));

  it('push sends changed and new files, and writes nothing into vals.json', async () => {
    const { place, service } = await start({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c' });
    place.put({ 'a.ts': 'a2', 'sub/d.ts': 'd' });
    service.edit('c', 'c2');
    const planned = await place.rows(['push', '--dry-run']);
    expect(planned.map(({ file, status, plan }) => [file, status, plan])).toEqual([
      ['a.ts', 'planned', 'send'],
      ['b.ts', 'unchanged', undefined],
      ['c.ts', 'behind', undefined],
      ['sub/d.ts', 'planned', 'create'],
    ]);
    const { exit, stdout, stderr } = await place.vals('push');
    expect(exit).toBe(0);
    expect(stderr).toMatch(
      /^c\.ts was not sent, because its val changed on the service \(version 2.*\)\. To write the service's code into the file, run `vals pull`\.\n$/,
    );
    expect(stdout.split('\n')[0]).toBe(`pushed\ta\t2\t${service.val('a').id}\ta.ts`);
    expect(stdout).toMatch(/^created\td\t1?\t/m);
    expect(await place.rows(['push', 'a.ts'])).toEqual([
      {
        file: 'a.ts',
        name: 'a',
        status: 'unchanged',
        id: service.val('a').id,
        version: switches.version && 2,
      },
    ]);
    expect(await place.status()).toMatchObject({ 'sub/d.ts': 'unchanged' });
    expect(place.manifest()).toEqual({});
    // Line ends make no version, and a push sends those of the service.
    service.edit('b', 'a\nb\n');
    place.put({ 'b.ts': 'a\r\nb\r\n' });
    expect(await place.words(['push', 'b.ts'])).toEqual({ 'b.ts': 'unchanged' });
    place.put({ 'b.ts': 'a\r\nc\r\n' });
    expect(await place.words(['push', 'b.ts'])).toEqual({ 'b.ts': 'pushed' });
    expect(service.code('b')).toBe('a\nc\n');
  });

  it('push refuses a conflict with exit 5, and only --force overwrites', async () => {
    const { place, service } = await start({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c', 'd.ts': 'd' });
    place.put({ 'a.ts': 'mine', 'b.ts': 'b2' });
    for (const name of ['a', 'd']) service.edit(name, 'theirs');
    const mixed = await place.rows(['push', '--yes'], 9);
    expect(mixed.map(({ status }) => status)).toEqual(['failed', 'pushed', 'unchanged', 'behind']);
    expect(mixed[0]).toMatchObject({ reason: 'both changed', error: { kind: 'conflict', exit: 5 } });
    expect(mixed[0]?.error?.message).toMatch(
      /^a\.ts changed here, and its val changed on the service \(version 2(?:, by ada, .* ago)?\) since both had version 1\.$/,
    );
    expect(mixed[0]?.error?.hint).toMatch(/pull a\.ts --merge.*vals diff a\.ts/);
    for (const args of [['push'], ['push', 'a.ts'], ['push', '--dry-run']]) {
      expect(await place.words(args, 5)).toMatchObject({ 'a.ts': 'failed' });
    }
    expect(await place.onScreen(['push'], { answers: [] })).toMatchObject({ exit: 5 });
    expect(service.codes('a')).toEqual(['a', 'theirs']);
    expect(await place.words(['push', '--force'])).toMatchObject({ 'a.ts': 'pushed', 'd.ts': 'pushed' });
    expect(service.codes('a')).toEqual(['a', 'theirs', 'mine']);
    expect(service.codes('d')).toEqual(['d', 'theirs', 'd']);
  });

  it('a val that is gone is a conflict, and --force makes it anew', async () => {
    const { place, service } = await start({ 'a.ts': 'a' });
    service.remove('a');
    expect(await place.rows(['push'], 5)).toMatchObject([{ status: 'failed', reason: 'deleted there' }]);
    expect(await place.rows(['status'])).toMatchObject([{ status: 'conflict', reason: 'deleted there' }]);
    expect(await place.words(['push', '--force'])).toEqual({ 'a.ts': 'created' });
  });

  it('a val that has another name is a conflict, and --force keeps its name', async () => {
    const { place, service } = await start({ 'a.ts': 'a' });
    service.rename('a', 'theirs');
    place.put({ 'a.ts': 'a2' });
    const [row] = await place.rows(['push'], 5);
    expect(row).toMatchObject({ status: 'failed', reason: 'renamed there' });
    expect(row?.error?.message).toBe('a.ts has the val "a", which is named "theirs" on the service now.');
    expect(row?.error?.hint).toContain('write "a.ts": "theirs" into "names" of vals.json');
    expect(await place.words(['push', '--force'])).toEqual({ 'a.ts': 'pushed' });
    expect(service.vals().map(({ name }) => name)).toEqual(['theirs']);
  });

  it('a file with conflict markers is a conflict, unless it has the code of the service', async () => {
    const { place, service } = await start({ 'a.ts': 'a' });
    const marked = '<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n';
    place.put({ 'a.ts': marked, 'b.ts': marked });
    for (const more of [[], ['--no-check'], ['--yes']]) {
      const [row] = await place.rows(['push', ...more], 5);
      expect(row).toMatchObject({ file: 'a.ts', reason: 'marks' });
    }
    const sent = { 'a.ts': 'pushed', 'b.ts': 'created' };
    expect(await place.words(['push', '--force', '--no-check'])).toEqual(sent);
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
    expect(service.code('a')).toBe(marked);
  });
});

it('on GitHub, push warns once of all files that are behind', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  for (const name of ['a', 'b']) service.edit(name, 'theirs');
  const job = place.at('.', { GITHUB_ACTIONS: 'true' });
  const { exit, stderr } = await job.vals('push');
  const warning =
    '::warning::2 files were not sent, because their vals changed on the service: a.ts and b.ts. To keep what the service has, run `vals pull` in a clone and commit the files; to overwrite them, push with --force.\n';
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: warning });
});

it('push keeps the records of two services apart', async () => {
  const { place } = await pushed({ 'a.ts': 'a' });
  const second = await startStrict();
  const elsewhere = new Place(place.folder, second.env, place.home);
  expect(await elsewhere.status()).toEqual({ 'a.ts': 'new' });
  expect(await elsewhere.words(['push'])).toEqual({ 'a.ts': 'created' });
  second.edit('a', 'a2');
  expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
  expect(await elsewhere.status()).toEqual({ 'a.ts': 'changed there' });
});

describe('a push says what the answers showed, and no more', () => {
  it.each([
    ['exact', 'created', 'pushed'],
    ['always 200', 'sent', 'pushed'],
    ['empty', 'sent', 'pushed'],
  ] as const)('where the service answers writes %s', async (writes, first, second) => {
    const service = await startStrict({ ...withEverything, writes });
    const place = workspaceWith(service.env, { 'a.ts': 'a' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': first });
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'unchanged' });
    place.put({ 'a.ts': 'a2' });
    expect(await place.words(['push'])).toEqual({ 'a.ts': second });
    expect(await place.status()).toEqual({ 'a.ts': 'unchanged' });
  });

  it('after a lost answer nobody knows, and the next push finds out', async () => {
    let loses = true;
    const isWrite = ({ method }: Seen) => method === 'PUT' || method === 'POST';
    const service = await serviceWith((seen, there): Reply | undefined =>
      loses && isWrite(seen) ? loseAnswer(there) : undefined,
    );
    const place = workspaceWith(service.env, { 'a.ts': 'a' });
    expect(await place.vals('push')).toMatchObject({ exit: 8 });
    loses = false;
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'unchanged' });
    expect(service.codes('a')).toEqual(['a']);
  });
});

it.each(kindsOfServices)(
  'nothing is replaced if somebody makes a val meanwhile: %s',
  async (_kind, switches) => {
    let isRace = true;
    const service = await serviceWith(({ method }, there) => {
      if (method === 'POST' && isRace) there.edit('a', 'theirs');
      if (method === 'POST') isRace = false;
      return undefined;
    }, switches);
    const place = workspaceWith(service.env, { 'a.ts': 'mine' });
    const [row] = await place.rows(['push'], 5);
    expect(row).toMatchObject({
      status: 'failed',
      reason: 'name taken',
      error: { kind: 'conflict', exit: 5 },
    });
    expect(service.codes('a')).toEqual(['theirs']);
  },
);

it.each([
  ['with ETag', true],
  ['without ETag', false],
])('nothing is replaced if somebody changes a val after the look, %s', async (_what, etag) => {
  let changes = false;
  const isChange = ({ method, path }: Seen) =>
    etag ? method === 'POST' : method === 'GET' && /^\/v1\/vals\/[^/]+$/.test(path);
  let looks = 0;
  const service = await serviceWith(
    (seen, there) => {
      if (changes && isChange(seen)) looks += 1;
      // Without ETag the val is read, and just before the write once more.
      if (changes && isChange(seen) && looks === (etag ? 1 : 2)) there.edit('a', 'theirs');
      return undefined;
    },
    { etag },
  );
  const place = workspaceWith(service.env, { 'a.ts': 'a' });
  await place.rows(['push']);
  place.put({ 'a.ts': 'mine' });
  changes = true;
  const [row] = await place.rows(['push'], 5);
  expect(row).toMatchObject({ status: 'failed', error: { kind: 'conflict', exit: 5 } });
  expect(service.codes('a')).toEqual(['a', 'theirs']);
});

it.each(kindsOfServices)(
  'of two terminals that push the same edit at once, the later one finds it unchanged: %s',
  async (_kind, switches) => {
    const { place, service } = await pushed({ 'a.ts': 'a' }, await startStrict(switches));
    place.put({ 'a.ts': 'a2' });
    // Without ETag the val is read once more before the write.
    let looks = 0;
    service.switches.instead = ({ method, path }) => {
      if (method === 'GET' && /\/vals\/[^/]+$/.test(path)) looks += 1;
      if (method === 'POST' || looks === 2) service.edit('a', 'a2');
      return undefined;
    };
    expect(await place.words(['push'])).toEqual({ 'a.ts': 'unchanged' });
    expect(service.codes('a')).toEqual(['a', 'a2']);
    expect(place.records().a?.version).toBe(2);
    const both = [await place.words(['push']), await place.status()];
    expect(both).toEqual([{ 'a.ts': 'unchanged' }, { 'a.ts': 'unchanged' }]);
  },
);

it('push leaves the val of a missing file, and an empty file stops the push before it begins', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a', 'b.ts': 'b' });
  place.remove('a.ts');
  place.put({ 'b.ts': 'b2' });
  expect(await place.words(['push'])).toEqual({ 'b.ts': 'pushed' });
  expect(service.code('a')).toBe('a');
  place.put({ 'a.ts': '', 'b.ts': 'b3' });
  expect(await place.words(['push'], 10)).toEqual({ 'a.ts': 'failed', 'b.ts': 'skipped' });
  expect((await place.vals('push')).stderr).toContain('or list the file in .valsignore.\n');
  expect(service.code('b')).toBe('b2');
  place.put({ '.valsignore': 'a.ts\n' });
  expect((await place.vals('push')).exit).toBe(0);
});

it('two files of one name: a push sends nothing, and status shows the others', async () => {
  const { place, service } = await pushed({ 'a.ts': 'a' });
  place.put({ 'a.ts': 'a2', 'x/index.ts': 'x', 'y/index.ts': 'y' });
  const message = 'x/index.ts and y/index.ts would both be the val "index".';
  const status = await place.vals('status', '--json');
  expect(status).toMatchObject({ exit: 2, error: { kind: 'usage', message } });
  expect(JSON.parse(status.stdout)).toMatchObject([{ file: 'a.ts', status: 'changed here' }]);
  expect(await place.vals('push', '--json')).toMatchObject({ exit: 2, error: { message } });
  expect(service.code('a')).toBe('a');
  place.put({ 'x/main.ts': 'x', 'y/main.ts': 'y', 'z/main.ts': 'z' });
  const { error } = await place.vals('push', '.', '--json');
  expect(error?.message).toBe(`${message} x/main.ts, y/main.ts and z/main.ts would all be the val "main".`);
  expect(await place.words(['push', 'a.ts'])).toEqual({ 'a.ts': 'pushed' });
});

describe('the question of the first push', () => {
  async function freshClone() {
    const service = await startStrict(withEverything);
    const mine = repository(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
    await mine.rows(['push']);
    mine.commit({ 'a.ts': 'a2' });
    return { service, mine, fresh: mine.clone() };
  }

  it('lists the vals that it would change, and neither a status, a conflict, a no nor --force answers it', async () => {
    const { service, fresh } = await freshClone();
    fresh.put({ 'new.ts': 'n' });
    await fresh.rows(['status']);
    for (const more of [[], ['--force']]) {
      const answers = [{ after: `Change 1 val on ${service.baseUrl}? [y/N]`, keys: 'n\r' }];
      const { exit, screen } = await fresh.onScreen(['push', ...more], { answers, columns: 120 });
      expect(exit).toBe(2);
      expect(screen).toContain('This is the first push');
      expect(screen).toMatch(/ {2}a {2}version 1 {2}changed \S+ ago {2}by ada {2}a\.ts/);
    }
    expect(service.vals().map(({ name }) => name)).toEqual(['a', 'b']);
    expect(service.codes('a')).toEqual(['a']);
    const dry = await fresh.onScreen(['push', '--dry-run'], { answers: [] });
    expect(dry).toMatchObject({ exit: 0, screen: expect.stringContaining('A push would ask') });
  });

  it('is answered by --yes or where nobody can be asked, and not asked again', async () => {
    const { mine, fresh } = await freshClone();
    const other = mine.clone();
    expect(await fresh.onScreen(['push', '--yes'], { answers: [] })).toMatchObject({ exit: 0 });
    expect(await other.words(['push'])).toMatchObject({ 'a.ts': 'unchanged' });
    for (const place of [fresh, other]) {
      place.put({ [place === fresh ? 'a.ts' : 'b.ts']: 'again' });
      expect(await place.onScreen(['push'], { answers: [] })).toMatchObject({ exit: 0 });
    }
  });
});

describe('a service that cannot list vals', () => {
  it('has its ids in vals.json, so that a fresh clone of CI works', async () => {
    const service = await reachableService();
    const mine = repository(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
    const first = await mine.vals('push');
    expect(first).toMatchObject(
      ends(0, 'Commit vals.json. Until then, the next job and other clones cannot find the vals.'),
    );
    const ids = { a: service.val('a').id, b: service.val('b').id };
    expect(mine.manifest()).toEqual({ services: ['http://vals.test'], ids: { 'http://vals.test': ids } });
    expect(await mine.vals('push')).toMatchObject({ exit: 0, stderr: '' });
    mine.commit();
    const ci = mine.clone();
    expect(await ci.words(['push'])).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });
    expect(ci.git('status', '--porcelain')).toBe('');
    service.edit('a', 'hotfix');
    mine.commit({ 'b.ts': 'b2' });
    expect(await mine.clone().words(['push'])).toEqual({ 'a.ts': 'behind', 'b.ts': 'pushed' });
    // A merge lost an id.
    mine.put({ 'vals.json': JSON.stringify({ ids: { 'http://vals.test': { a: ids.a } } }) });
    expect(await mine.words(['push'])).toMatchObject({ 'b.ts': 'unchanged' });
    expect(mine.manifest()).toMatchObject({ ids: { 'http://vals.test': ids } });
  });

  it('keeps a val that nobody here knows, and the message says how to go on', async () => {
    const service = await reachableService();
    const mine = repository(service.env, { 'a.ts': 'a' });
    const ci = mine.clone();
    const made = await ci.at('.', { GITHUB_ACTIONS: 'true' }).vals('push');
    expect(made.stderr).toContain(
      `::warning::The next job and other clones cannot find a until vals.json has the id. In a clone, run \`vals pull ${service.val('a').id}\`, which writes "ids": {"http://vals.test":{"a":"${service.val('a').id}"}}, and commit vals.json.`,
    );
    mine.commit({ 'a.ts': 'a2' });
    const [row] = await mine.clone().rows(['push'], 5);
    expect(row).toMatchObject({ reason: 'name taken' });
    expect(row?.error?.hint).toMatch(
      /"ids" of vals\.json, under its name.*`vals pull <id>`.*push a\.ts --force/,
    );
    expect(service.codes('a')).toEqual(['a']);
    expect(await mine.clone().words(['push', '--force'])).toEqual({ 'a.ts': 'sent' });
    expect(service.codes('a')).toEqual(['a', 'a2']);
  });

  it('a push that cannot write an id says what it sent, and the id', async () => {
    const service = await reachableService('vals.test');
    const mine = repository(service.env, { 'a.ts': 'a' });
    await mine.rows(['push']);
    mine.put({ 'b.ts': 'b' });
    const withoutDisk = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, program, 'push', '--json'];
    const { exitCode, stdout, stderr } = await execa('sh', withoutDisk, {
      env: environment(mine.home, mine.env),
      extendEnv: false,
      cwd: mine.folder,
      reject: false,
    });
    const { id } = service.val('b');
    expect({ exitCode, rows: JSON.parse(stdout) }).toMatchObject({
      exitCode: 10,
      rows: [{ status: 'unchanged' }, { status: 'created', id }],
    });
    expect(stderr).toContain(`It lacks \\"ids\\": {\\"http://vals.test\\":{\\"b\\":\\"${id}\\"}}.`);
  });

  it('an interrupted push waits for the answers that are under way, and keeps their ids', async () => {
    const service = await reachableService('vals.test');
    const names = Array.from({ length: 40 }, (_, index) => `v${index}`);
    const mine = repository(service.env, Object.fromEntries(names.map((name) => [`${name}.ts`, name])));
    mine.put({ 'sent.ts': 'sent' });
    await mine.rows(['push', 'sent.ts']);
    const interrupt = new AbortController();
    service.switches.instead = (seen) => {
      if (seen.method !== 'POST') return undefined;
      return async (response) => {
        interrupt.abort(new InterruptedError(130));
        await new Promise(setImmediate);
        const { status, body } = service.handle(seen);
        response.writeHead(status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
    };
    const ended = await inProcess(['push'], {
      cwd: mine.folder,
      env: environment(mine.home, mine.env),
      signal: interrupt.signal,
      clock: patient,
    });
    delete service.switches.instead;
    const made = service.vals().length - 1;
    expect(made).toBeGreaterThan(0);
    expect(ended.exit).toBe(130);
    // What was to be sent is counted, and nothing else.
    expect(ended.stderr).toMatch(new RegExp(`Interrupted: ${made} of 40 vals (was|were) pushed\\.\nhint:`));
    expect(new Set(Object.values(await mine.words(['push'])))).toEqual(new Set(['created', 'unchanged']));
    expect(service.vals()).toHaveLength(41);
  });

  it('counts an entry of ids by its id, whatever its name', async () => {
    const service = await reachableService('vals.test', usualFields);
    const mine = repository(service.env, { 'a.ts': 'a' });
    await mine.rows(['push']);
    service.rename('a', 'b');
    mine.move('a.ts', 'b.ts');
    expect(await mine.clone().words(['push'])).toEqual({ 'b.ts': 'unchanged' });
    const bob = service.addPerson('bob');
    const theirs = service.edit('theirs', 'x', { owner: bob.person });
    theirs.privacy = 'public';
    mine.put({
      'vals.json': JSON.stringify({ ids: { 'http://vals.test': { c: theirs.id } } }),
      'c.ts': 'c',
    });
    expect(await mine.rows(['status', 'c.ts'])).toMatchObject([{ status: 'conflict', reason: 'not yours' }]);
  });
});

it('new vals that anybody can read are said in one line, and vals.json has the privacy of others', async () => {
  const service = await startStrict({ privacy: 'public' });
  const place = workspaceWith(service.env, { 'a.ts': 'a', 'b.ts': 'b' });
  const { stderr } = await place.vals('push');
  expect(stderr).toBe(
    'Anybody can read these new vals: a and b. To change that, run `vals val set <val> --privacy private`.\n',
  );
  place.put({ 'vals.json': '{"privacy": "private"}', 'c.ts': 'c' });
  expect(await place.vals('push')).toMatchObject({ exit: 0, stderr: '' });
  expect(service.val('c').privacy).toBe('private');
  // A service that does not listen to it.
  service.switches.instead = ({ method }) =>
    method === 'POST' ? { status: 201, body: { id: randomUUID(), name: 'd', privacy: 'public' } } : undefined;
  place.put({ 'd.ts': 'd' });
  expect((await place.vals('push')).stderr).toBe(
    'Anybody can read the new val: d. To change that, run `vals val set d --privacy private`.\n',
  );
});

it.each(kindsOfServices)(
  'a val that somebody made with the name of a file is not overwritten: %s',
  async (_kind, switches) => {
    const service = await startStrict(switches);
    service.edit('hello', 'theirs');
    const place = workspaceWith(service.env, { 'hello.ts': 'mine' });
    const reason = switches.list ? 'both changed' : 'name taken';
    expect(await place.status()).toEqual({ 'hello.ts': switches.list ? 'conflict' : 'new' });
    expect(await place.rows(['push'], 5)).toMatchObject([{ status: 'failed', reason }]);
    expect(service.codes('hello')).toEqual(['theirs']);
  },
);

it('a val that was read by its id is a conflict where its author is told, and else a name that is taken', async () => {
  const service = await startStrict(usualFields);
  const { id } = service.edit('hello', 'theirs');
  const place = workspaceWith(service.env, { 'hello.ts': 'mine' });
  await place.vals('me');
  await place.vals('val', 'get', id);
  expect(await place.status()).toEqual({ 'hello.ts': 'conflict' });
  expect(await place.rows(['push'], 5)).toMatchObject([{ status: 'failed', reason: 'both changed' }]);
  service.switches.authors = false;
  const other = workspaceWith(service.env, { 'hello.ts': 'mine' });
  await other.vals('val', 'get', id);
  expect(await other.status()).toEqual({ 'hello.ts': 'new' });
  expect(await other.rows(['push'], 5)).toMatchObject([{ status: 'failed', reason: 'name taken' }]);
  expect(service.codes('hello')).toEqual(['theirs']);
});

it('two vals with the name of a file are exit 2, which names both', async () => {
  const service = await startStrict(withEverything);
  const ids = [service.edit('hello', '1').id, service.edit('other', '2').id];
  service.rename('other', 'hello');
  const place = workspaceWith(service.env, { 'hello.ts': 'mine' });
  for (const args of [['status'], ['push', '--force']]) {
    const { exit, stderr } = await place.vals(...args);
    expect({ args, exit }).toEqual({ args, exit: 2 });
    for (const id of ids) expect(stderr).toContain(id);
  }
});

it('val set --name of a file says which entry of names keeps the name of the file', async () => {
  const { place } = await pushed({ 'sub/a.ts': 'a' }, await startStrict(withEverything));
  const { stderr } = await place.vals('val', 'set', 'sub/a.ts', '--name', 'b');
  expect(stderr).toContain(
    'The file sub/a.ts keeps its val with this entry in vals.json: "names": {"sub/a.ts": "b"}.',
  );
  place.put({ 'vals.json': JSON.stringify({ ...place.manifest(), names: { 'sub/a.ts': 'b' } }) });
  expect(await place.words(['push'])).toEqual({ 'sub/a.ts': 'unchanged' });
});

it('val set --name of a name names the file of the val, and nothing where there is none', async () => {
  const { place } = await pushed({ 'sub/a.ts': 'a' }, await startStrict(withEverything));
  await place.vals('val', 'create', 'other', 'sub/a.ts');
  expect((await place.vals('val', 'set', 'other', '--name', 'others')).stderr).toBe('');
  expect((await place.vals('val', 'set', 'a', '--name', 'b')).stderr).toContain(
    '"names": {"sub/a.ts": "b"}.',
  );
  expect((await place.vals('val', 'set', 'b', '--name', 'a')).stderr).toBe('');
});
