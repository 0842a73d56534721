import { type ScriptedService, type Seen, scriptedService } from '../support/scripted-service.ts';

export const now = Date.parse('2025-11-14T10:00:00.000Z');
const ago = (seconds: number): string => new Date(now - 1_000 * seconds).toISOString();
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

export const ids = {
  hello: '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11',
  fetchPrices: '9b1d7a20-0d5e-4a8e-8a3f-6f2a1c4e7d02',
  sendWeeklyNewsletterDigest: 'c7e5f3a4-2b1c-4d6e-9f8a-7b6c5d4e3f03',
};

const stack = [
  "TypeError: Cannot read properties of undefined (reading 'price')",
  '    at totalOf (file:///vals/fetchPrices.ts:14:27)',
  '    at Array.reduce (<anonymous>)',
  '    at default (file:///vals/fetchPrices.ts:22:9)',
].join('\n');

const run = (
  index: number,
  name: keyof typeof ids,
  version: number,
  secondsAgo: number,
  ms: number | undefined,
  error: unknown = null,
) => ({
  id: `${index.toString(16).padStart(8, '0')}-1111-4222-8333-444455556666`,
  val: { id: ids[name], name, version },
  runStartAt: ago(secondsAgo),
  runEndAt: ms === undefined ? null : new Date(now - 1_000 * secondsAgo + ms).toISOString(),
  error,
});

const runs = [
  run(0xa1, 'hello', 3, 12, 41),
  run(0xa2, 'fetchPrices', 12, 4 * minute, 30_012, stack),
  run(0xa3, 'hello', 3, 9 * minute, 38),
  run(0xa4, 'sendWeeklyNewsletterDigest', 1, 2 * hour, 91_400, { message: 'Timed out after 90 seconds' }),
  run(0xa5, 'fetchPrices', 12, 5 * hour, 1_730),
  run(0xa6, 'fetchPrices', 11, 26 * hour, undefined),
  run(0xa7, 'hello', 2, 3 * day, 44, 'ReferenceError: nmae is not defined'),
];

const val = (name: keyof typeof ids, version: number, secondsAgo: number, more: object = {}) => ({
  id: ids[name],
  name,
  privacy: 'public',
  version,
  author: { id: 'a5b4c3d2-1111-4222-8333-444455556666', username: 'ada' },
  versionAuthor: { id: 'a5b4c3d2-1111-4222-8333-444455556666', username: 'ada' },
  createdAt: ago(secondsAgo),
  ...more,
});

const list = (data: object[]) => ({ body: { data, links: {} } });

const code = (name: string) => `export default () => '${name}';\n`;

interface Answer {
  status?: number;
  body?: unknown;
}

/** The version that `edit` makes, and the one before it. */
const versionsOf = (name: keyof typeof ids, before: number, text: string): Record<string, Answer> => ({
  [`GET /v1/vals/${ids[name]}/versions`]: list([{ version: before + 1 }, { version: before }]),
  [`GET /v1/vals/${ids[name]}/versions/${before}`]: {
    body: val(name, before, 9 * day, { code: code(text) }),
  },
});

const answers: Record<string, Answer | ((seen: Seen) => Answer)> = {
  'GET /v1/me': {
    body: {
      id: 'a5b4c3d2-1111-4222-8333-444455556666',
      username: 'ada',
      bio: null,
      email: 'ada@example.com',
      tier: 'free',
      url: 'https://vals.example.com/ada',
    },
  },
  'GET /v1/me/runs': (seen) => {
    const error = new URL(seen.path, 'http://x').searchParams.get('error');
    return list(error === 'true' ? runs.filter(({ error }) => error) : runs);
  },
  [`GET /v1/vals/${ids.hello}/runs`]: list(runs.filter(({ val }) => val.name === 'hello')),
  'GET /v1/me/likes': list([
    { id: ids.hello, name: 'hello', version: 3 },
    { id: ids.fetchPrices, name: 'fetchPrices', version: 12 },
    { id: ids.sendWeeklyNewsletterDigest, name: 'sendWeeklyNewsletterDigest', version: 1 },
  ]),
  'GET /v1/me/comments': list([
    {
      id: 'c1000000-1111-4222-8333-444455556666',
      comment: 'Lovely, I use it every day.\nOne question: does it cache?',
      createdAt: ago(3 * hour),
      author: { id: 'u2', username: 'grace' },
      val: { id: ids.fetchPrices, name: 'fetchPrices' },
    },
    {
      id: 'c2000000-1111-4222-8333-444455556666',
      comment: 'Thank you!',
      createdAt: ago(2 * day),
      author: { id: 'u3', username: null },
      val: { id: ids.hello, name: 'hello' },
    },
  ]),
  'GET /v1/me/references': list([
    {
      reference: { id: ids.fetchPrices, name: 'fetchPrices', author_id: 'u2', username: 'grace' },
      dependsOn: { id: ids.hello, name: 'hello' },
      referencedAt: ago(6 * day),
    },
  ]),
  [`GET /v1/vals/${ids.hello}`]: { body: val('hello', 3, 40 * day, { code: code('hello there') }) },
  [`GET /v1/vals/${ids.fetchPrices}`]: { body: val('fetchPrices', 12, 9 * day, { code: code('prices') }) },
  [`GET /v1/vals/${ids.sendWeeklyNewsletterDigest}`]: {
    body: val('sendWeeklyNewsletterDigest', 1, 9 * day, { code: code('news') }),
  },
  [`GET /v1/vals/${ids.hello}/versions`]: {
    ...list(
      [3, 2, 1].map((version) => ({ val_id: ids.hello, version, createdAt: ago((9 - version) * day) })),
    ),
  },
  [`GET /v1/vals/${ids.hello}/versions/1`]: { body: val('hello', 1, 40 * day, { code: code('hello') }) },
  [`GET /v1/vals/${ids.hello}/versions/2`]: { body: val('hello', 2, 40 * day, { code: code('hello you') }) },
  ...versionsOf('fetchPrices', 12, 'prices'),
  ...versionsOf('sendWeeklyNewsletterDigest', 1, 'news'),
  [`POST /v1/vals/${ids.hello}/versions`]: { status: 201, body: val('hello', 4, 0) },
  [`DELETE /v1/vals/${ids.hello}`]: { status: 204 },
  [`DELETE /v1/vals/${ids.hello}/versions/1`]: { status: 204 },
  'POST /v1/vals': (seen) =>
    JSON.parse(seen.body).name === 'hello'
      ? { status: 409, body: { message: 'A val named hello exists already' } }
      : { status: 201, body: val('fetchPrices', 1, 0) },
  'PUT /v1/vals': (seen) => {
    const { name } = JSON.parse(seen.body);
    if (name === 'broken')
      return { status: 422, body: { message: 'The code does not parse: line 3, column 7' } };
    return name === 'hello'
      ? { status: 200, body: val('hello', 4, 0) }
      : { status: 201, body: { ...val('fetchPrices', 1, 0), name } };
  },
};

const edited: typeof answers = {
  [`GET /v1/vals/${ids.fetchPrices}`]: {
    body: val('fetchPrices', 13, 60, { code: `// Prices in euro.\n${code('prices')}` }),
  },
  [`GET /v1/vals/${ids.sendWeeklyNewsletterDigest}`]: {
    body: val('sendWeeklyNewsletterDigest', 2, 60, { code: code('old news') }),
  },
};

export async function screenService(): Promise<ScriptedService & { edit(): void }> {
  let isEdited = false;
  const service = await scriptedService([], (seen) => {
    const key = `${seen.method} ${seen.path.split('?')[0]}`;
    const answer = (isEdited ? edited[key] : undefined) ?? answers[key];
    if (answer === undefined) return { status: 404, body: { message: 'There is nothing of that kind' } };
    return typeof answer === 'function' ? answer(seen) : answer;
  });
  return {
    ...service,
    edit() {
      isEdited = true;
    },
  };
}
