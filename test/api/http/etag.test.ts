import { expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { createClient } from '../../../src/api/http/client.ts';
import * as routes from '../../../src/api/routes.ts';
import { quickRetries } from '../../support/clocks.ts';
import { type Reply, scriptedService, testToken } from '../../support/scripted-service.ts';

async function apiFor(...replies: Reply[]) {
  const { baseUrl, requests } = await scriptedService(replies);
  const { signal } = new AbortController();
  const { request } = createClient({
    baseUrl: { origin: baseUrl, href: baseUrl },
    token: testToken,
    userAgent: 'test',
    deadlineMs: 10_000,
    signal,
    concurrency: 'auto',
    trace: () => {},
    redact: (text) => text,
    signInHint: '',
    proxy: undefined,
    clock: quickRetries,
  });
  const notes = {
    circular() {},
    more() {},
    serviceIsAway() {},
    serviceIsBack() {},
    tooManyRecords() {},
  };
  const api = createApi(request, { notes, token: testToken, clock: quickRetries, signal });
  return { api, requests };
}

const etag = '"3-9f"';
const put = { ...routes.putVal('one', 'code'), ifMatch: etag };
const lost: Reply = (response) => response.destroy();

it('the ETag of a val goes back as If-Match of a write', async () => {
  const { api, requests } = await apiFor({ headers: { etag }, body: { id: 'a' } }, { body: { id: 'a' } });
  const read = await api.recordWithEtag(routes.getVal('a'));
  expect(read).toEqual({ record: { id: 'a' }, etag });
  await api.send({ ...routes.putVal('one', 'code'), ifMatch: read.etag });
  expect(requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, etag]);
});

it.each([undefined, 'W/"3"', '"\u00e9"'])(
  'a service that sends the ETag %s gets no If-Match',
  async (header) => {
    const { api, requests } = await apiFor(
      { headers: header === undefined ? {} : { etag: header }, body: { id: 'a' } },
      { body: { id: 'a' } },
    );
    const { etag } = await api.recordWithEtag(routes.getVal('a'));
    await api.send({ ...put, ifMatch: etag });
    expect(requests[1]?.headers).not.toHaveProperty('if-match');
  },
);

it('every attempt carries the same If-Match', async () => {
  const { api, requests } = await apiFor({ status: 503 }, { body: { id: 'a' } });
  await api.send(put);
  expect(requests.map(({ headers }) => headers['if-match'])).toEqual([etag, etag]);
});

it.each([
  put,
  { ...routes.createVersion('a', 'code'), ifMatch: etag },
  { ...routes.deleteVal('a'), ifMatch: etag },
])('$method: 412 is a conflict', async (call) => {
  const { api } = await apiFor({ status: 412 });
  await expect(api.send(call)).rejects.toMatchObject({
    exit: 5,
    message: 'The val was changed on the service after it was read.',
    facts: { status: 412 },
  });
});

it('412 after a lost PUT may come from the lost PUT, so the outcome is not known', async () => {
  const { api } = await apiFor(lost, { status: 412 });
  await expect(api.send(put)).rejects.toMatchObject({ exit: 8 });
});

it('412 after a lost DELETE is a conflict, because the val is still there', async () => {
  const { api } = await apiFor(lost, { status: 412 });
  await expect(api.send({ ...routes.deleteVal('a'), ifMatch: etag })).rejects.toMatchObject({ exit: 5 });
});
