// What a command costs: the list where it tells enough, else each val once, and the versions of those that differ.

import { expect, it } from 'vitest';
import { valNames } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';
import { Place, type Service, withEverything, workspaceWith } from './places.ts';

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

it('a val that differs costs its versions once, and is read just before it is written', async () => {
  const { place, service } = await pushedWorkspace();
  place.put({ 'val7.ts': 'edited' });
  asked(service);
  expect(await place.words(['status'])).toMatchObject({ 'val7.ts': 'changed here' });
  expect(asked(service).slice(1)).toEqual(['GET /v1/vals/val7/versions']);
  expect(await place.words(['push'])).toMatchObject({ 'val7.ts': 'pushed' });
  expect(asked(service).slice(1)).toEqual([
    'GET /v1/vals/val7/versions',
    'GET /v1/vals/val7',
    'PUT /v1/vals',
  ]);
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

it('a push of one file does not read the list', async () => {
  const { place, service } = await pushedWorkspace();
  place.put({ 'val7.ts': 'edited' });
  asked(service);
  expect(await place.words(['push', 'val7.ts'])).toEqual({ 'val7.ts': 'pushed' });
  expect(asked(service)).toEqual(['GET /v1/vals/val7', 'GET /v1/vals/val7/versions', 'PUT /v1/vals']);
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
