import { expect, it } from 'vitest';
import { run } from '../../support/program.ts';
import { scriptedService, testToken } from '../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const val = { id, name: 'hello', code: 'export default 1' };
const code = 'export default "é"\r\n';

it.each<[command: string, request: string, reply: unknown, body?: object]>([
  ['me', 'GET /v1/me', { id, username: 'ada' }],
  ['runs', 'GET /v1/me/runs?limit=20&offset=0', { data: [], links: {} }],
  [
    'runs --error --since 2026-01-01T00:00:00Z --until 2026-01-02T03:04:05Z --limit 7 --offset 3',
    'GET /v1/me/runs?error=true&since=2026-01-01T00%3A00%3A00.000Z&until=2026-01-02T03%3A04%3A05.000Z&limit=7&offset=3',
    [],
  ],
  ['runs --no-error', 'GET /v1/me/runs?error=false&limit=20&offset=0', []],
  [`runs ${id} --error --limit 5`, `GET /v1/vals/${id}/runs?error=true&limit=100&offset=0`, []],
  ['likes --all', 'GET /v1/me/likes?limit=100&offset=0', []],
  ['comments', 'GET /v1/me/comments?relationship=any&limit=20&offset=0', []],
  ['refs', 'GET /v1/me/references', []],
  ['val create hello', 'POST /v1/vals', val, { name: 'hello', code }],
  ['val create hello - --privacy odd', 'POST /v1/vals', val, { name: 'hello', code, privacy: 'odd' }],
  ['push - --name hello', 'PUT /v1/vals', { ...val, version: 1 }, { name: 'hello', code }],
  [`val get ${id}`, `GET /v1/vals/${id}`, val],
  [`val rm ${id} --yes`, `DELETE /v1/vals/${id}`, undefined],
  [`version ls ${id}`, `GET /v1/vals/${id}/versions`, [{ version: 0 }]],
  [`version new ${id}`, `POST /v1/vals/${id}/versions`, val, { code }],
  [`version get ${id} 0`, `GET /v1/vals/${id}/versions/0`, val],
  [`version rm ${id} 4 --yes`, `DELETE /v1/vals/${id}/versions/4`, undefined],
  [`val runs ${id} --limit 5`, `GET /v1/vals/${id}/runs?limit=5&offset=0`, []],
])('vals %s sends %s', async (command, request, reply, body) => {
  const service = await scriptedService([{ body: reply }]);
  const args = [...command.split(' '), '--json', '--quiet'];
  const { exit, stdout, stderr } = await run(args, { env: service.env, input: code });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  JSON.parse(stdout);

  const [seen, ...others] = service.requests;
  expect(others).toEqual([]);
  expect(`${seen?.method} ${seen?.path}`).toBe(request);
  expect(seen?.body && JSON.parse(seen.body)).toEqual(body ?? '');
  expect(seen?.headers).toMatchObject({
    authorization: `Bearer ${testToken}`,
    accept: 'application/json',
    'user-agent': expect.stringMatching(/^vals\/\d/),
  });
  expect(seen?.headers['content-type']).toBe(body && 'application/json');
  const isPost = request.startsWith('POST');
  expect(seen?.headers['idempotency-key']).toEqual(
    isPost ? expect.stringMatching(/^[0-9a-f-]{36}$/) : undefined,
  );
});
