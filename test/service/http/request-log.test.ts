import { expect, test } from 'vitest';
import type { FinishedRequest } from '../../../src/service/http/server.ts';
import type { Network } from '../../../src/service/start-service.ts';
import { beginPut, behindProxy, browse, clientOf, signedIn, temporaryService, type Val } from '../support.ts';

/** A service of ada and bob, where bob may only read the space acme, and what its log has of each request. */
async function loggingService(network?: Network) {
  const finished: FinishedRequest[] = [];
  const service = await temporaryService({
    network,
    onEvent(event) {
      if (event.kind === 'answered') finished.push(event.request);
    },
  });
  const [ada, bob] = [await service.addPerson('ada'), await service.addPerson('bob')];
  await service.addSpace('acme', { ada: 'write', bob: 'read' });
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const as = (token: string) => clientOf({ baseUrl, token, host: network?.publicUrl?.host });
  return {
    service,
    as,
    ada: as(ada.token),
    bob: as(bob.token),
    /** The lines since the last call, without times and methods. */
    async logged(count: number) {
      await expect.poll(() => finished.length).toBeGreaterThanOrEqual(count);
      return finished.splice(0).map(({ ms: _, method: __, path: ___, ...facts }) => facts);
    },
  };
}

test('the log names the person, the token, the owner and the val of each write', async () => {
  const { ada, as, logged } = await loggingService();
  const made = await ada.ask('POST', '/@acme/v1/me/tokens', { body: { name: 'ci' } });
  const { id: tokenId, token } = made.body as { id: string; token: string };
  const ci = as(token);
  const { body } = await ci.ask('PUT', '/@acme/v1/vals', { body: { name: 'pay', code: '1' } });
  const { id } = body as Val;
  await ci.ask('PUT', '/@acme/v1/vals', { body: { name: 'pay', code: '2' } });
  await ada.ask('PUT', `/@acme/v1/vals/${id}`, { body: { privacy: 'public' } });
  await ci.ask('DELETE', `/@acme/v1/vals/${id}`);
  const own = await ada.createVal({ name: 'own', code: '1' });
  await ada.ask('DELETE', `/v1/me/tokens/${tokenId}`);
  const about = { name: 'ci', id: tokenId };
  const published = { changed: ['privacy'], privacy: 'public' };
  const byCi = { person: 'ada', token: 'ci', owner: 'acme', val: id };
  const byAda = { person: 'ada', token: 'first' };
  expect(await logged(7)).toEqual([
    { route: '/@{space}/v1/me/tokens', status: 201, ...byAda, owner: 'acme', about },
    { route: '/@{space}/v1/vals', status: 201, ...byCi },
    { route: '/@{space}/v1/vals', status: 200, ...byCi },
    { route: '/@{space}/v1/vals/{id}', status: 204, ...byAda, owner: 'acme', val: id, ...published },
    { route: '/@{space}/v1/vals/{id}', status: 204, ...byCi },
    { route: '/v1/vals', status: 201, ...byAda, owner: 'ada', val: own.id },
    { route: '/v1/me/tokens/{id}', status: 204, ...byAda, owner: 'ada', about },
  ]);
});

test('the log says what a write changed of a val, and who can read the val after it', async () => {
  const { ada, bob, logged } = await loggingService();
  const { id } = await ada.createVal({ name: 'pay', code: '1', readme: 'r', privacy: 'unlisted' });
  const path = `/v1/vals/${id}`;
  const version = (body: object) => ada.ask('POST', `${path}/versions`, { body });
  await version({ code: '2' });
  await version({ code: '3', privacy: 'public' });
  await ada.ask('PUT', path, { body: { name: 'paid', readme: 'r', privacy: 'private' } });
  await ada.ask('PUT', path, { body: { name: 'paid' } });
  await ada.ask('PUT', path, { body: { type: 'http' } });
  const wrong = { raw: '{"name":"other"}', headers: { 'If-Match': '"wrong"' } };
  await ada.ask('PUT', path, { body: { privacy: 'nobody' } });
  await ada.ask('PUT', path, wrong);
  await bob.ask('PUT', path, { body: { privacy: 'public' } });
  const facts = (await logged(9)).map(({ status, changed, privacy }) => [status, changed, privacy]);
  expect(facts).toEqual([
    [201, ['readme', 'privacy'], 'unlisted'],
    [201, undefined, 'unlisted'],
    [201, ['privacy'], 'public'],
    [204, ['name', 'privacy'], 'private'],
    [204, undefined, undefined],
    [204, ['type'], undefined],
    [400, undefined, undefined],
    [412, undefined, undefined],
    [404, undefined, undefined],
  ]);
});

test('the log names who was refused, as far as that is known', async () => {
  const { ada, bob, as, logged } = await loggingService();
  const { id } = (await ada.ask('PUT', '/@acme/v1/vals', { body: { name: 'pay', code: '1' } })).body as Val;
  await bob.ask('DELETE', `/@acme/v1/vals/${id}`);
  await bob.ask('GET', '/v1/vals/absent');
  await bob.ask('GET', '/@ops/v1/me');
  await as('vals_unknown').ask('GET', '/v1/me');
  const byBob = { person: 'bob', token: 'first' };
  expect((await logged(5)).slice(1)).toEqual([
    { route: '/@{space}/v1/vals/{id}', status: 403, ...byBob, owner: 'acme', val: id },
    { route: '/v1/vals/{id}', status: 404, ...byBob, owner: 'bob', val: 'absent' },
    { route: '/@{space}/v1/me', status: 404, ...byBob, owner: 'ops' },
    { route: '/v1/me', status: 401 },
  ]);
});

test('the log names whose 64 requests were too many', async () => {
  const { service, bob, logged } = await loggingService();
  const slow = Array.from({ length: 64 }, () => beginPut({ ...service, token: bob.token }, '{'));
  await expect.poll(() => bob.statusOf('GET', '/v1/me')).toBe(429);
  for (const socket of slow) socket.destroy();
  const refused = { route: '/v1/me', status: 429, person: 'bob', token: 'first', owner: 'bob' };
  expect(await logged(65)).toContainEqual(refused);
});

test('the log names whose session a page was shown to, and who signed in and out', async () => {
  const { service, ada, logged } = await loggingService(behindProxy);
  const { id } = (await ada.ask('PUT', '/@acme/v1/vals', { body: { name: 'pay', code: '1' } })).body as Val;
  const cookie = await signedIn(service, ada.token);
  const visit = (path: string, form?: string) => browse(service, path, { form, headers: { cookie } });
  await visit(`/@acme/vals/${id}`);
  await visit('/nothing');
  await visit('/sign-out', '');
  await browse(service, '/');
  const byAda = { person: 'ada', token: 'first', owner: 'ada' };
  expect((await logged(6)).slice(1)).toEqual([
    { route: '/sign-in', status: 303, ...byAda },
    { route: '/@{space}/vals/{id}', status: 200, ...byAda, owner: 'acme', val: id },
    { route: 'none', status: 404, ...byAda },
    { route: '/sign-out', status: 303, ...byAda },
    { route: '/', status: 200 },
  ]);
});
