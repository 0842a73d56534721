import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { temporaryService, type Val } from '../support.ts';

interface Operation {
  servers?: { url: string }[];
  operationId: string;
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: { required?: string[] } }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
  security: object[];
}

interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: { session: { name: string } } };
}

const run = { val: { name: 'seeded', version: 1 }, runStartAt: '2026-01-31', error: 'boom' };
const service = await temporaryService({
  runs: [{ runEndAt: null }, run],
});
const document = (await service.ask('GET', '/v1/openapi.json', { token: null })).body as Document;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const ajv = new Ajv2020({
  strict: false,
  formats: { 'date-time': timestamp, uuid: true, uri: true },
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
  for (const { operationId, responses } of operations) expect(responses, operationId).toHaveProperty('4XX');
});

test('a client that is made from the description signs in, and reads pages', async () => {
  const { requestBody, parameters = [] } = document.paths['/sign-in']?.post ?? {};
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(requestBody?.content ?? {});
  const needed = parameters.filter(({ required }) => required).map(({ name }) => name);
  expect([type, schema.required, needed]).toEqual([
    'application/x-www-form-urlencoded',
    ['token'],
    ['Origin'],
  ]);
  const origin = new URL(service.baseUrl).origin;
  const signIn = (token: string) =>
    service.ask('POST', '/sign-in', {
      raw: `token=${token}`,
      headers: { 'Content-Type': type, Origin: origin },
      token: null,
    });
  const { status, headers } = await signIn(service.token);
  expect(status).toBe(303);
  const { name } = document.components.securitySchemes.session;
  const cookie = `${headers['set-cookie']}`.split(';')[0] ?? '';
  expect(cookie).toMatch(new RegExp(`^${name}=`));

  const described = (path: string, code: number) => {
    const operation = document.paths[path]?.[path === '/sign-in' ? 'post' : 'get'];
    return Object.keys((operation?.responses[code] ?? operation?.responses['4XX'])?.content ?? {});
  };
  const answers: [path: string, status: number, given?: object][] = [
    ['/runs', 200, { Cookie: cookie }],
    ['/runs', 401],
    ['/search', 303, { Cookie: cookie }],
    ['/vals/none', 404, { Cookie: cookie }],
    ['/vals/none', 404, { Cookie: cookie, Accept: 'application/json' }],
  ];
  for (const [path, code, given = {}] of answers) {
    const answer = await service.ask('GET', path, { headers: { ...given }, token: null });
    expect(answer.status, path).toBe(code);
    const sent = answer.headers['content-type']?.split(';')[0];
    const types = described(path.replace('none', '{id}'), code);
    if (sent === undefined) expect(types).toEqual([]);
    else expect(types).toContain(sent);
  }
  const refused = await signIn('wrong');
  expect(refused.status).toBe(401);
  expect(described('/sign-in', 401)).toContain(refused.headers['content-type']?.split(';')[0]);
});

const times = { runStartAt: '2026-01-31T09:30:00Z', runEndAt: '2026-01-31T09:30:01Z' };
const bodies: Record<string, object> = {
  'PUT /v1/vals': { name: 'one', code: 'd', type: 'http' },
  'POST /v1/vals': { name: 'two', code: 'c', readme: null, privacy: 'public' },
  'PUT /v1/vals/{id}': { readme: 'r', privacy: 'unlisted' },
  'POST /v1/vals/{id}/runs': { version: 1, ...times, error: 'boom' },
  'POST /v1/vals/{id}/versions': { code: 'e' },
  'POST /v1/me/tokens': { name: 'ci', access: 'read', expiresAt: '2999-01-01T00:00:00Z' },
};
const onPages = /^(GET \/v1\/me\/page-link|\w+ \/sign-(in|out))$/;

async function hold(route: string, path: string): Promise<{ id: string; links?: { next?: string } }> {
  const [method = '', pattern = ''] = route.split(' ');
  const operation = document.paths[pattern]?.[method.toLowerCase()];
  const body = bodies[route];
  const schema = operation?.requestBody?.content['application/json']?.schema;
  expect(schema !== undefined, path).toBe(body !== undefined);
  if (body) expect(validate(schema ?? {}, body), path).toBe('');
  const isOpen = operation?.security.some((way) => Object.keys(way).length === 0);
  for (const token of isOpen ? [] : [null, 'wrong']) {
    const refused = await service.ask(method, path, { body, token });
    if (path.startsWith('/@') && token === null) expect(refused.status).toBe(404);
    else expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(refused.text).not.toContain(service.token);
  }
  const { status, headers, text } = await service.ask(method, path, { body });
  const described = operation?.responses[status];
  expect(described, `${route} ${path}: ${status} ${text}`).toBeDefined();
  expect(status, `${route} ${path}: ${text}`).toBeLessThan(300);
  const [[type, content] = []] = Object.entries(described?.content ?? {});
  expect(`${headers['content-type']?.split(';')[0]}`).toBe(`${type}`);
  if (type !== 'application/json') return { id: '' };
  expect(validate(content?.schema ?? {}, JSON.parse(text)), `${path}: ${text}`).toBe('');
  return JSON.parse(text);
}

test('every route needs a token unless it is open, and answers as described', async () => {
  await service.addSpace('acme', { local: 'write' });
  for (const [base, username] of [
    ['', 'local'],
    ['/@acme', 'acme'],
  ]) {
    const { id } = (await service.ask('PUT', `${base}/v1/vals`, { body: { name: 'one', code: 'c' } }))
      .body as Val;
    const user = await hold('GET /v1/me', `${base}/v1/me`);
    const run = await hold('POST /v1/vals/{id}/runs', `${base}/v1/vals/${id}/runs`);
    const token = await hold('POST /v1/me/tokens', `${base}/v1/me/tokens`);
    const names: Record<string, string> = { id, version: '1', username: `${username}`, name: 'one' };
    const idIn = (pattern: string) =>
      /runs\/\{/.test(pattern)
        ? run.id
        : /users/.test(pattern)
          ? user.id
          : /tokens/.test(pattern)
            ? token.id
            : id;
    // What is deleted is asked for before.
    for (const method of ['get', 'put', 'post', 'delete']) {
      for (const [pattern, operations] of Object.entries(document.paths).reverse()) {
        const operation = operations[method];
        const route = `${method.toUpperCase()} ${pattern}`;
        if (!operation || onPages.test(route) || route === 'POST /v1/me/tokens') continue;
        if (base !== '' && operation.servers?.[0]?.url === '/') continue;
        const path = pattern
          .replace('{id}', idIn(pattern))
          .replace(/\{(\w+)\}/g, (_, name) => names[name] ?? '');
        const isPaged = operation.parameters?.some(({ name }) => name === 'limit');
        const page = await hold(route, `${base}${path}?query=o&q=o${isPaged ? '&limit=1' : ''}`);
        const next = isPaged && page.links?.next;
        if (next) await hold(route, next.replace(service.baseUrl, ''));
      }
    }
  }
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
    'POST /v1/vals/{id}/runs runStartAt': ['2026-01-31T09:30:00', '2026-01-31 09:30:00Z'].map(
      (runStartAt) => ({ ...run, runStartAt }),
    ),
    'POST /v1/vals/{id}/runs runEndAt': [{ ...run, runEndAt: undefined }],
    'POST /v1/vals/{id}/runs logs': [{ ...run, logs: 7 }],
    'POST /v1/me/tokens name': [' a', 'first', 'a'.repeat(65)].map((name) => ({ name })),
    'POST /v1/me/tokens access': [{ name: 'a', access: 'write' }],
  };
  for (const [place, bodies] of Object.entries(refused)) {
    const [method = '', pattern = '', field = ''] = place.split(' ');
    const operation = document.paths[pattern]?.[method.toLowerCase()];
    const schema = operation?.requestBody?.content['application/json']?.schema ?? {};
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
