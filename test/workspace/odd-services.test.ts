// Services that lack what the embedded one has. A workspace works with each of them, more slowly.
import { expect, it } from 'vitest';
import type { Reply, Seen } from '../support/scripted-service.ts';
import { noList, passOnAfter, type Service, serviceWith, workspaceWith } from './support.ts';

type Lacking = (seen: Seen, service: Service) => Reply | undefined;

const isPush = ({ method, path }: Seen) => method === 'PUT' && path === '/v1/vals';

const withoutEtag: Lacking = (_seen, service) => passOnAfter(service, async () => {});

const withoutCodeHash: Lacking = ({ method, path }, service) =>
  method !== 'GET'
    ? undefined
    : async (response) => {
        const body = JSON.stringify(await service.ask('GET', path), (key, value) =>
          key === 'codeHash' ? undefined : value,
        );
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      };

const withoutChange: Lacking = ({ method, path }) =>
  method === 'PUT' && path !== '/v1/vals' ? { status: 404, body: {} } : undefined;

const withoutId: Lacking = (seen, { edit }) => {
  if (!isPush(seen)) return undefined;
  const { name, code } = JSON.parse(seen.body);
  return (response) => void edit(name, code).then(() => response.writeHead(204).end());
};

const most: Lacking = (seen, service) =>
  withoutChange(seen, service) ??
  withoutId(seen, service) ??
  withoutCodeHash(seen, service) ??
  withoutEtag(seen, service);

it.each<[string, Lacking]>([
  ['a list', noList],
  ['codeHash', withoutCodeHash],
  ['codeHash, ETags, PUT /v1/vals/{id} and an id in its answers to pushes', most],
])('a workspace works with a service without %s', async (_what, lacking) => {
  const { env, service } = await serviceWith(lacking);
  const place = workspaceWith(env, { 'a.ts': 'a', 'b.ts': 'b' });
  await place.rows(['push']);
  const [a, b] = [place.idOf('a.ts'), place.idOf('b.ts')];
  expect(await place.status()).toEqual({ 'a.ts': 'unchanged', 'b.ts': 'unchanged' });

  await service.edit('a', 'theirs');
  place.put({ 'b.ts': 'b2' });
  expect(await place.status()).toEqual({ 'a.ts': 'changed there', 'b.ts': 'changed here' });
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'behind', 'b.ts': 'pushed' });
  expect(await place.words(['pull', 'a.ts'])).toEqual({ 'a.ts': 'pulled' });

  await service.edit('b', 'hotfix');
  place.put({ 'a.ts': 'a3', 'b.ts': 'b3' });
  expect(await place.words(['push'], 9)).toEqual({ 'a.ts': 'pushed', 'b.ts': 'failed' });
  expect(await place.words(['push', 'b.ts', '--yes'])).toEqual({ 'b.ts': 'pushed' });
  expect(await service.versions(b)).toEqual(['b', 'b2', 'hotfix', 'b3']);

  place.move('a.ts', 'c.ts');
  expect(await place.rows(['push', 'c.ts'])).toMatchObject([{ status: 'renamed', id: a }]);
  place.remove('b.ts');
  const pruned = await place.words(['push', '--prune', '--yes']);
  expect(pruned).toMatchObject({ 'b.ts': 'deleted', 'c.ts': 'unchanged' });
});

it('a service without a list and without ids is compared with what was sent, and status says so', async () => {
  const { env, service } = await serviceWith((seen, there) => noList(seen) ?? withoutId(seen, there));
  const place = workspaceWith(env, { 'a.ts': 'a' });
  const dry = await place.vals('push', '--dry-run');
  expect(dry.stderr).toContain('a push replaces the code of that val');
  await place.vals('push');
  expect(await place.words(['push'])).toEqual({ 'a.ts': 'unchanged' });
  place.put({ 'a.ts': 'a2' });
  const status = await place.vals('status');
  expect(status.stdout).toContain('changed here');
  expect(status.stderr).toContain('the comparison is with the code that was pushed last');
  await place.vals('push');
  const { id } = await service.edit('a', 'a2');
  expect(await service.versions(id)).toEqual(['a', 'a2']);
});
