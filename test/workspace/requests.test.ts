// What a command costs: the list where it tells enough, else each val once, and the versions of those that differ.

import { describe, expect, it } from 'vitest';
import { valNames } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import {
  Place,
  reachableService,
  repository,
  type Service,
  withEverything,
  workspaceWith,
} from './places.ts';

const many = 20;

async function pushedWorkspace(switches = withEverything) {
  const service = await startStrict(switches);
  const files = Object.fromEntries(valNames(many).map((name) => [`${name}.ts`, `code_of_${name}`]));
  const place = workspaceWith(service.env, files);
  await place.rows(['push']);
  return { place, service };
}

/** The requests since the last call: the ids as the names of the vals. */
function asked(service: Service): string[] {
  const names = new Map(service.vals().map(({ id, name }) => [id, name]));
  return service.requests
    .splice(0)
    .map(
      ({ method, path }) =>
        `${method} ${path.replace(/\?.*/, '').replace(/[\da-f-]{36}/, (id) => names.get(id) ?? id)}`,
    )
    .filter((line) => !line.endsWith('/v1/me'));
}

it('an unchanged workspace costs the pages of the list, also in a fresh checkout', async () => {
  const { place, service } = await pushedWorkspace();
  const me = service.ada().id;
  for (const at of [place, new Place(place.folder, place.env)]) {
    for (const command of ['status', 'push', 'pull']) {
      asked(service);
      await at.rows([command]);
      expect(asked(service)).toEqual([`GET /v1/users/${me}/vals`]);
    }
  }
});

it('a val that differs costs no versions if this folder pushed it last, and is read just before it is written', async () => {
  const { place, service } = await pushedWorkspace();
  place.put({ 'val7.ts': 'edited' });
  asked(service);
  expect(await place.words(['status'])).toMatchObject({ 'val7.ts': 'changed here' });
  expect(asked(service).slice(1)).toEqual([]);
  expect(await place.words(['push'])).toMatchObject({ 'val7.ts': 'pushed' });
  expect(asked(service).slice(1)).toEqual(['GET /v1/vals/val7', 'POST /v1/vals/val7/versions']);
  // A push of one file does not read the list.
  place.put({ 'val7.ts': 'edited_again' });
  expect(await place.words(['push', 'val7.ts'])).toEqual({ 'val7.ts': 'pushed' });
  expect(asked(service)).toEqual(['GET /v1/vals/val7', 'POST /v1/vals/val7/versions']);
  place.put({ 'val7.ts': 'edited_once_more' });
  place.loseRecords();
  expect(await place.words(['status'])).toMatchObject({ 'val7.ts': 'conflict' });
  expect(asked(service).slice(1)).toEqual(['GET /v1/vals/val7/versions']);
});

describe('where the list and the versions have codeHash, with 20 versions of each of 20 vals', () => {
  const files = (word: string) =>
    Object.fromEntries(valNames(many).map((name) => [`${name}.ts`, `// ${name} ${word}`]));

  /** The versions are what somebody committed and pushed, one after the other. */
  async function deployed() {
    const service = await startStrict(withEverything);
    const place = repository(service.env, files('1'));
    for (let version = 1; version <= 20; version++) {
      if (version > 1) place.commit(files(`${version}`));
      for (const name of valNames(many)) service.edit(name, `// ${name} ${version}`);
    }
    return { place, service };
  }

  const everything = (service: Service) => service.requests.splice(0).length;

  it('a fresh clone of which all differ costs the list, and a list of versions for each', async () => {
    const { place, service } = await deployed();
    const fresh = place.commit(files('21')).clone();
    const words = Object.values(await fresh.status());
    expect([words.length, new Set(words)]).toEqual([many, new Set(['changed here'])]);
    expect(everything(service)).toBe(2 + many);
  });

  it('a checkout of depth 1 reads no versions of what it cannot tell', async () => {
    const { place, service } = await deployed();
    const fresh = place.commit(files('21')).clone('--depth=1');
    const words = Object.values(await fresh.status());
    expect([words.length, new Set(words)]).toEqual([many, new Set(['conflict'])]);
    expect(everything(service)).toBe(2);
  });

  it('--force reads no versions', async () => {
    const { place, service } = await deployed();
    const fresh = place.commit(files('21')).clone();
    expect(new Set(Object.values(await fresh.words(['push', '--force'])))).toEqual(new Set(['pushed']));
    expect(
      service.requests.filter(({ method, path }) => method === 'GET' && path.includes('/versions')),
    ).toEqual([]);
    service.requests.splice(0);
    fresh.put(files('22'));
    expect(new Set(Object.values(await fresh.words(['pull', '--force'])))).toEqual(new Set(['pulled']));
    expect(everything(service)).toBe(1 + many);
  });
});

describe('on the 14 routes with the documented fields, with 22 versions a val', () => {
  const count = 8;
  const differing = valNames(3);

  /** Each val has 22 versions, and this folder pushed the last one. */
  async function deployed() {
    const service = await reachableService('vals.test');
    const place = repository(
      service.env,
      Object.fromEntries(valNames(count).map((name) => [`${name}.ts`, name])),
    );
    await place.rows(['push']);
    for (const name of valNames(count)) {
      for (let version = 2; version <= 21; version++) service.edit(name, `// ${name} ${version}`);
      place.put({ [`${name}.ts`]: `// ${name} 22` });
    }
    await place.rows(['push', '--force']);
    place.commit();
    for (const name of differing) place.put({ [`${name}.ts`]: `// ${name} edited` });
    service.requests.splice(0);
    return { place, service };
  }

  const requests = (service: Service) => service.requests.splice(0).length;

  it('a push of one edited file that this folder pushed last is at most 6 requests', async () => {
    const { place, service } = await deployed();
    const file = `${differing[0]}.ts`;
    expect(await place.rows(['push', file])).toMatchObject([
      { status: 'pushed', version: 23, versionBefore: 22 },
    ]);
    expect(requests(service)).toBeLessThanOrEqual(6);
    expect(place.records()[differing[0] ?? '']).toMatchObject({ version: 23 });
  });

  it('a push with --force reads no versions', async () => {
    const { place, service } = await deployed();
    place.loseRecords();
    service.switches.answersVersions = true;
    expect(await place.words(['push', '--force', ...differing.map((name) => `${name}.ts`)])).toEqual(
      Object.fromEntries(differing.map((name) => [`${name}.ts`, 'pushed'])),
    );
    const asked = service.requests.map(
      ({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/, 'ID')}`,
    );
    expect(new Set(asked)).toEqual(new Set(['GET /v1/vals/ID', 'POST /v1/vals/ID/versions']));
  });

  it('a status and a push are a request for each val, and one or four more for each that differs', async () => {
    const { place, service } = await deployed();
    const filesThatAre = (wanted: string, words: Record<string, string>) =>
      Object.values(words).filter((status) => status === wanted);
    expect(filesThatAre('changed here', await place.words(['status']))).toHaveLength(differing.length);
    expect(requests(service)).toBe(count + differing.length + 2);
    expect(filesThatAre('pushed', await place.words(['push']))).toHaveLength(differing.length);
    expect(requests(service)).toBeLessThanOrEqual(count + 4 * differing.length + 4);
    expect(filesThatAre('unchanged', await place.words(['push']))).toHaveLength(count);
    expect(requests(service)).toBe(count + 2);
  });

  it('a fresh clone reads the versions of what differs once, many at a time', async () => {
    const { place, service } = await deployed();
    const fresh = place.clone();
    for (const name of differing) fresh.put({ [`${name}.ts`]: `// ${name} 21` });
    fresh.put({ 'vals.json': place.read('vals.json') });
    let running = 0;
    const { promise: isMany, resolve: many } = withResolvers();
    service.switches.instead = (seen) => async (response) => {
      if (/\/versions\/\d+$/.test(seen.path)) {
        running += 1;
        if (running > 4) many();
        await isMany;
      }
      const { status = 200, body } = service.handle(seen);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    await fresh.rows(['status']);
    const versions = service.requests.filter(({ path }) => /\/versions\/\d+$/.test(path));
    expect(new Set(versions.map(({ path }) => path)).size).toBe(versions.length);
    expect(versions).toHaveLength(19 * differing.length);
    expect(requests(service)).toBe(count + 2 + 20 * differing.length);
  });
});

it.each([
  ['a list without codeHash', { list: true }],
  ['no list', {}],
])('with %s each val is read once', async (_what, switches) => {
  const { place, service } = await pushedWorkspace(switches);
  for (const command of ['status', 'push']) {
    asked(service);
    await place.rows([command]);
    const reads = asked(service).filter((line) => line.startsWith('GET /v1/vals/'));
    expect(reads.toSorted()).toEqual(
      valNames(many)
        .map((name) => `GET /v1/vals/${name}`)
        .toSorted(),
    );
  }
});

it('a val that the list lacks is found by its record', async () => {
  const { place, service } = await pushedWorkspace();
  service.switches.instead = ({ path }) =>
    path.startsWith('/v1/users/') ? { body: { data: [], links: {} } } : undefined;
  expect(await place.words(['push'])).toMatchObject({ 'val7.ts': 'unchanged' });
});

it('a list that does not show an edit does not make a push overwrite it', async () => {
  const { place, service } = await pushedWorkspace();
  const before = service.val('val7').versions.at(-1);
  place.put({ 'val7.ts': 'mine' });
  service.switches.instead = (seen) => {
    if (!seen.path.startsWith('/v1/users/')) return undefined;
    const answer = JSON.parse(JSON.stringify(service.handle(seen)));
    service.switches.instead = undefined;
    service.edit('val7', 'theirs');
    return answer;
  };
  expect(await place.words(['push'], 5)).toMatchObject({ 'val7.ts': 'failed', 'val8.ts': 'unchanged' });
  expect(service.codes('val7')).toEqual([before?.code, 'theirs']);
});
