import { expect, test } from 'vitest';
import {
  behindProxy,
  browse,
  clientOf,
  type Person,
  signedIn,
  temporaryService,
  type Val,
} from '../support.ts';

// Every route of the OpenAPI document and every page, asked with a token that reaches less than is there.

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: object;
}

const service = await temporaryService();
const ada = await service.addPerson('ada');
const eve = await service.addPerson('eve');
const lions = await newSpace('lions');
const zebra = await newSpace('zebra');

async function newSpace(name: string) {
  const space = await service.addSpace(name, { ada: 'write' });
  return { ...space, ...(await fill(`/@${name}`, `in_${name}`)) };
}

/** A private val with a run, an import of the val, and a token. */
async function fill(base: string, name: string) {
  const post = async (path: string, body: object) =>
    (await ada.ask('POST', `${base}/v1${path}`, { body })).body as Val & { token: string };
  const { id } = await post('/vals', { name, code: `code_${name}`, readme: `readme_${name}` });
  const at = '2026-01-31T09:30:00Z';
  const logs = `logs_${name}`;
  const run = await post(`/vals/${id}/runs`, { version: 1, runStartAt: at, runEndAt: at, error: logs, logs });
  const code = `import '${service.baseUrl}/v1/vals/${id}/module'`;
  const user = await post('/vals', { name: `${name}_user`, code });
  const token = await post('/me/tokens', { name: `token_${name}` });
  return { vals: [id, user.id], run: run.id, token: token.id, secret: token.token };
}

const own = await fill('', 'own');
const { body } = await service.ask('GET', '/v1/openapi.json', { token: null });
const { paths } = body as { paths: Record<string, Record<string, Operation>> };

const isOf = (name: string, part: { id?: string; vals: string[]; run: string; token: string }) => ({
  ids: [...(part.id ? [part.id] : []), ...part.vals, part.run, part.token],
  texts: [...part.vals, part.run, part.token, name, `in_${name}`, `code_${name}`, `logs_${name}`],
});
const parts = { lions: isOf('lions', lions), zebra: isOf('zebra', zebra), own: isOf('own', own) };
type Part = keyof typeof parts;
/** `own` alone is a part of many words. */
const textsOf = (part: Part) => parts[part].texts.filter((text) => text !== 'own');

/** Each address that a path with these ids and names may have. */
function addressesOf(path: string, ids: readonly string[]): string[] {
  const versions = path.replace('{version}', '1');
  const named = versions.replace('{username}', 'zebra').replace('{name}', 'in_zebra');
  const queries = ['query=in_&q=in_&relationship=any', `query=code_&q=code_&val=${ids[0]}`];
  if (!path.includes('{id}')) return queries.map((query) => `${named}?${query}`);
  return ids.map((id) => `${named.replace('{id}', id)}?${queries[0]}`);
}

type Asked = { status: number; text: string };

/** What an answer has of the hidden parts, beside what the request itself has. */
function leaksIn({ text }: Asked, address: string, hidden: readonly Part[]): string[] {
  const asked = decodeURIComponent(address);
  return hidden.flatMap(textsOf).filter((secret) => text.includes(secret) && !asked.includes(secret));
}

const spaces = ['', '/@lions', '/@zebra'];

const hiddenFrom: [string, string, string, Part[]][] = [
  ['a token for one space', lions.secret, '/@lions', ['zebra', 'own']],
  ['the token of a stranger', eve.token, '', ['lions', 'zebra', 'own']],
];

const pages = await temporaryService({ at: service.at, network: behindProxy });

test.each(hiddenFrom)(
  '%s finds nothing of elsewhere, on any route or page',
  async (_, token, base, hidden) => {
    const client = clientOf({ baseUrl: service.baseUrl, token });
    const cookie = await signedIn(pages, token);
    const ids = hidden.flatMap((part) => parts[part].ids);
    const found = { routes: 0, pages: 0 };
    for (const [path, { get }] of Object.entries(paths)) {
      if (get === undefined) continue;
      const isRoute = path.startsWith('/v1/');
      for (const [at, one] of spaces.flatMap((at) =>
        addressesOf(path, ids).map((one) => [at, one] as const),
      )) {
        const address = at + one;
        const answer = isRoute
          ? await client.ask('GET', address)
          : await browse(pages, address, { headers: { cookie } });
        expect(leaksIn(answer, address, hidden), address).toEqual([]);
        expect(answer.status).toBeLessThan(500);
        if (/\{(id|username)\}/.test(path)) expect(answer.status, address).toBeGreaterThan(400);
        if (at === base && answer.status === 200) found[isRoute ? 'routes' : 'pages'] += 1;
      }
    }
    expect(found.routes).toBeGreaterThan(15);
    expect(found.pages).toBeGreaterThan(2);
  },
);

test.each(hiddenFrom)('%s changes nothing of elsewhere, on any route', async (_, token, base, hidden) => {
  const client = clientOf({ baseUrl: service.baseUrl, token });
  const before = await ownersView(ada);
  const ids = hidden.flatMap((part) => parts[part].ids);
  const body = { code: 'changed', name: 'changed', privacy: 'public', version: 1, error: null };
  const times = { runStartAt: '2026-01-31T09:30:00Z', runEndAt: null };
  let refused = 0;
  for (const [path, operations] of Object.entries(paths)) {
    if (!path.startsWith('/v1/') || !path.includes('{')) continue;
    for (const [method, { requestBody }] of Object.entries(operations)) {
      if (method === 'get') continue;
      for (const id of ids) {
        const address = path.replace('{id}', id).replace('{version}', '1');
        const given = requestBody && { body: { ...body, ...times } };
        const answer = await client.ask(method.toUpperCase(), base + address, given);
        // A limited token ends no other tokens, whether or not they are there.
        const isToken = path.includes('/tokens/') && base !== '';
        expect(answer.status, `${method} ${base}${address}: ${answer.text}`).toBe(isToken ? 403 : 404);
        expect(leaksIn(answer, address, hidden)).toEqual([]);
        refused += 1;
      }
    }
  }
  expect(refused).toBeGreaterThan(30);
  expect(await ownersView(ada)).toEqual(before);
});

/** What there is, as its owner sees it. */
async function ownersView({ ask }: Person) {
  const views: unknown[] = [];
  for (const base of spaces) {
    const { body } = await ask('GET', `${base}/v1/me`);
    for (const path of [`users/${(body as Val).id}/vals`, 'me/runs', 'me/references']) {
      views.push((await ask('GET', `${base}/v1/${path}`)).text);
    }
  }
  const tokens = (await ask('GET', '/v1/me/tokens')).text.replaceAll(/"lastUsedAt":[^,]*/g, '');
  return [...views, tokens];
}

test('a person finds all of it', async () => {
  for (const base of spaces) {
    const names = (await ada.get<{ data: Val[] }>(`${base}/v1/search/vals?query=code_`)).data;
    expect(names.map(({ name }) => name).sort()).toEqual(['in_lions', 'in_zebra', 'own']);
  }
});
