import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { createSpace, grant } from '../../../src/service/store/spaces.ts';
import { seedOfEachKind } from '../support/seeds.ts';
import { type List, storeOf, temporaryService } from '../support.ts';

interface Operation {
  servers?: { url: string }[];
  operationId: string;
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: { content: { 'application/json': { schema: object } } };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
  security: object[];
}

interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

const run = { val: { name: 'seeded', version: 1 }, runStartAt: '2026-01-31', error: 'boom' };
const service = await temporaryService({
  seed: seedOfEachKind({
    runs: [{ runEndAt: null }, run],
    likes: [{}, { author: { id: 'a', username: null }, privacy: 'public', version: 3 }],
  }),
});
const document = (await service.ask('GET', '/v1/openapi.json', { token: null })).body as Document;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const ajv = new Ajv2020({
  strict: false,
  formats: { 'date-time': timestamp, uuid: true, uri: true, date: true },
});
ajv.addSchema({ $id: 'api', components: document.components });

const compiled = new Map<string, ValidateFunction>();

const validate = (schema: object, value: unknown): string => {
  const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
  const check = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, check);
  return check(value) ? '' : ajv.errorsText(check.errors);
};

test('the description is OpenAPI 3.1, for a person and for a space, and needs no token', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers.map(({ url }) => url)).toEqual(['/', '/@{space}']);
  const notInSpaces = Object.entries(document.paths).filter(([, operations]) =>
    Object.values(operations).every(({ servers }) => servers?.[0]?.url === '/'),
  );
  expect(notInSpaces.map(([path]) => path)).toEqual(['/healthz', '/sign-in', '/sign-out']);
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain('getV1ValsId');
});

test('every route is described, needs a token unless it is open, and answers as described', async () => {
  const tried = new Set<string>();
  async function hold(method: string, pattern: string, path: string, body?: object): Promise<unknown> {
    tried.add(`${method} ${pattern}`);
    const operation = document.paths[pattern]?.[method.toLowerCase()];
    if (!operation) throw new Error(`${method} ${pattern} is not described`);
    const schema = operation.requestBody?.content['application/json'].schema;
    if (body) expect(validate(schema ?? {}, body), path).toBe('');
    expect(schema !== undefined, path).toBe(body !== undefined);
    const isOpen = operation.security.some((way) => Object.keys(way).length === 0);
    for (const token of isOpen ? [] : [null, 'wrong']) {
      const refused = await service.ask(method, path, { body, token });
      if (path.startsWith('/@') && token === null) expect(refused.status).toBe(404);
      else expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
      expect(refused.text).not.toContain(service.token);
    }
    const { status, headers, text } = await service.ask(method, path, { body });
    const described = operation.responses[status];
    expect(described, `${method} ${path}: ${status} ${text}`).toBeDefined();
    const [[type, content] = []] = Object.entries(described?.content ?? {});
    expect(`${headers['content-type']?.split(';')[0]}`).toBe(`${type}`);
    if (type !== 'application/json') return text;
    expect(validate(content?.schema ?? {}, JSON.parse(text)), `${path}: ${text}`).toBe('');
    return JSON.parse(text);
  }
  const list = async (pattern: string, path = pattern, query = '') => {
    const page = (await hold('GET', pattern, `${path}?limit=1${query}`)) as { links: { next?: string } };
    if (page.links.next) await hold('GET', pattern, page.links.next.replace(service.baseUrl, ''));
  };

  const me = (await hold('GET', '/v1/me', '/v1/me')) as { id: string };
  await hold('PUT', '/v1/vals', '/v1/vals', { name: 'one', code: 'c', type: 'http' });
  const { id } = (await hold('PUT', '/v1/vals', '/v1/vals', { name: 'one', code: 'd' })) as { id: string };
  await hold('POST', '/v1/vals', '/v1/vals', { code: 'c', name: 'two', readme: null, privacy: 'public' });
  const val = '/v1/vals/{id}';
  await hold('GET', val, `/v1/vals/${id}`);
  await hold('PUT', val, `/v1/vals/${id}`, { readme: 'r', privacy: 'unlisted' });
  await hold('GET', `${val}/module`, `/v1/vals/${id}/module`);
  const times = { runStartAt: '2026-01-31T09:30:00Z', runEndAt: '2026-01-31T09:30:01Z' };
  await hold('POST', `${val}/runs`, `/v1/vals/${id}/runs`, { version: 1, ...times, error: 'boom' });
  await list(`${val}/runs`, `/v1/vals/${id}/runs`, '&error=true&since=2020-01-01');
  await hold('POST', `${val}/versions`, `/v1/vals/${id}/versions`, { code: 'e' });
  await hold('POST', `${val}/versions`, `/v1/vals/${id}/versions`, { code: 'e' });
  await list(`${val}/versions`, `/v1/vals/${id}/versions`);
  await hold('GET', `${val}/versions/{version}`, `/v1/vals/${id}/versions/1`);
  await hold('DELETE', `${val}/versions/{version}`, `/v1/vals/${id}/versions/1`);
  for (const [path, { get }] of Object.entries(document.paths)) {
    const isPaged = get?.parameters?.some(({ name }) => name === 'limit');
    if (isPaged && !path.includes('{') && !tried.has(`GET ${path}`)) await list(path, path, '&query=o');
  }
  await list('/v1/users/{id}/vals', `/v1/users/${me.id}/vals`);
  await list('/v1/search/vals', '/v1/search/vals', '&query=o');
  await hold('GET', '/v1/users/{id}', `/v1/users/${me.id}`);
  await hold('GET', '/v1/alias/{username}', '/v1/alias/local');
  await hold('GET', '/v1/alias/{username}/{name}', '/v1/alias/local/one');
  await hold('GET', '/healthz', '/healthz');
  await hold('GET', '/v1/openapi.json', '/v1/openapi.json');
  const { data: runs } = await service.get<List>('/v1/me/runs');
  for (const path of ['/', '/runs', '/vals/{id}', '/vals/{id}/raw'])
    await hold('GET', path, path.replace('{id}', id));
  for (const path of ['', '/raw'])
    await hold('GET', `/vals/{id}/versions/{version}${path}`, `/vals/${id}/versions/2${path}`);
  await hold('GET', '/search', '/search?q=o');
  await hold('GET', '/runs/{id}', `/runs/${runs[0]?.id}`);
  await hold('GET', '/v1/runs/{id}', `/v1/runs/${runs[0]?.id}`);
  const { db } = await storeOf(service);
  await createSpace(db, 'acme');
  await grant(db, 'acme', 'local', 'write');
  await hold('GET', '/v1/me/spaces', '/v1/me/spaces');
  await hold('GET', '/v1/me', '/@acme/v1/me');
  await hold('PUT', '/v1/vals', '/@acme/v1/vals', { name: 'one', code: 'c' });
  await hold('DELETE', val, `/v1/vals/${id}`);
  const body = { name: 'ci', readOnly: true, expiresAt: '2999-01-01' };
  const token = (await hold('POST', '/v1/me/tokens', '/@acme/v1/me/tokens', body)) as { id: string };
  await hold('GET', '/v1/me/tokens', '/v1/me/tokens');
  await hold('DELETE', '/v1/me/tokens/{id}', `/@acme/v1/me/tokens/${token.id}`);

  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const onPage = ['GET /v1/me/page-link', 'GET /sign-in', 'POST /sign-in', 'POST /sign-out'];
  expect(described.filter((each) => !onPage.includes(each)).sort()).toEqual([...tried].sort());
});

test('a body that the description refuses is refused by the service, with the name of the field', async () => {
  const { id } = await service.createVal({ name: 'three', code: 'c' });
  const [name, code] = ['n', 'c'];
  const run = { version: 1, runStartAt: '2026-01-31', runEndAt: '2026-01-31' };
  const refused: Record<string, object[]> = {
    'POST /v1/vals code': [undefined, '', 1, 'c'.repeat(256_001)].map((code) => ({ name, code })),
    'POST /v1/vals name': [null, 'a-b', 'a\n', 'a'.repeat(49)].map((name) => ({ code, name })),
    'POST /v1/vals readme': ['a'.repeat(8_193)].map((readme) => ({ name, code, readme })),
    'POST /v1/vals privacy': ['secret', null].map((privacy) => ({ name, code, privacy })),
    'POST /v1/vals type': ['cron', null].map((type) => ({ name, code, type })),
    'PUT /v1/vals name': [{ code }],
    'POST /v1/vals/{id}/runs version': [-1, undefined].map((version) => ({ ...run, version })),
    'POST /v1/vals/{id}/runs error': [5, {}, 'x'.repeat(65_537)].map((error) => ({ ...run, error })),
    'POST /v1/vals/{id}/runs runEndAt': [{ ...run, runEndAt: undefined }],
    'POST /v1/vals/{id}/runs logs': [{ ...run, logs: 7 }],
    'POST /v1/me/tokens name': [' a', 'a'.repeat(65)].map((name) => ({ name })),
    'POST /v1/me/tokens readOnly': [{ name: 'a', readOnly: 'yes' }],
  };
  for (const [place, bodies] of Object.entries(refused)) {
    const [method = '', pattern = '', field = ''] = place.split(' ');
    const operation = document.paths[pattern]?.[method.toLowerCase()];
    const schema = operation?.requestBody?.content['application/json'].schema ?? {};
    for (const body of bodies) {
      const shown = `${place} ${JSON.stringify(body).slice(0, 80)}`;
      expect(validate(schema, JSON.parse(JSON.stringify(body))), shown).not.toBe('');
      const answer = await service.ask(method, pattern.replace('{id}', id), { body });
      expect(answer.status, shown).toBe(field !== 'error' && JSON.stringify(body).length > 8_000 ? 413 : 400);
      expect(answer.body, shown).toMatchObject({ errors: [{ field, message: expect.any(String) }] });
      expect(validate({ $ref: '#/components/schemas/Problem' }, answer.body)).toBe('');
    }
  }
});
