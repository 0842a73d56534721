import { describe, expect, it } from 'vitest';
import { run } from '../support/program.ts';
import { scriptedService, testToken } from '../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const val = { id, name: 'hello', code: 'export default 1' };

interface Case {
  args: string[];
  request: string;
  body?: unknown;
  input?: string;
  reply: unknown;
}

const cases: Case[] = [
  { args: ['me'], request: 'GET /v1/me', reply: { id, username: 'ada' } },
  { args: ['runs'], request: 'GET /v1/me/runs?limit=20&offset=0', reply: { data: [], links: {} } },
  {
    args: [
      'runs',
      '--error',
      '--since',
      '2026-01-01',
      '--until',
      '2026-01-02T03:04:05Z',
      '--limit',
      '7',
      '--offset',
      '3',
    ],
    request:
      'GET /v1/me/runs?error=true&since=2026-01-01T00%3A00%3A00.000Z&until=2026-01-02T03%3A04%3A05.000Z&limit=7&offset=3',
    reply: { data: [], links: {} },
  },
  { args: ['runs', '--no-error'], request: 'GET /v1/me/runs?error=false&limit=20&offset=0', reply: [] },
  { args: ['runs', '--val', id], request: `GET /v1/vals/${id}/runs?limit=20&offset=0`, reply: [] },
  { args: ['likes', '--all'], request: 'GET /v1/me/likes?limit=100&offset=0', reply: [] },
  { args: ['comments'], request: 'GET /v1/me/comments?relationship=any&limit=20&offset=0', reply: [] },
  {
    args: ['comments', '--relationship', 'given'],
    request: 'GET /v1/me/comments?relationship=given&limit=20&offset=0',
    reply: [],
  },
  { args: ['refs'], request: 'GET /v1/me/references', reply: [] },
  {
    args: ['val', 'create', 'hello'],
    input: 'export default 1',
    request: 'POST /v1/vals',
    body: { name: 'hello', code: 'export default 1' },
    reply: val,
  },
  {
    args: ['val', 'create', 'hello', '-', '--privacy', 'odd'],
    input: 'é\r\n',
    request: 'POST /v1/vals',
    body: { name: 'hello', code: 'é\r\n', privacy: 'odd' },
    reply: val,
  },
  {
    args: ['push', '-', '--name', 'hello'],
    input: 'export default 1',
    request: 'PUT /v1/vals',
    body: { name: 'hello', code: 'export default 1' },
    reply: val,
  },
  { args: ['val', 'get', id], request: `GET /v1/vals/${id}`, reply: val },
  { args: ['val', 'rm', id, '--yes'], request: `DELETE /v1/vals/${id}`, reply: undefined },
  { args: ['val', 'delete', id, '--yes'], request: `DELETE /v1/vals/${id}`, reply: undefined },
  { args: ['version', 'ls', id], request: `GET /v1/vals/${id}/versions`, reply: [{ version: 0 }] },
  { args: ['version', 'list', id], request: `GET /v1/vals/${id}/versions`, reply: [{ version: 0 }] },
  {
    args: ['version', 'new', id],
    input: 'export default 2',
    request: `POST /v1/vals/${id}/versions`,
    body: { code: 'export default 2' },
    reply: val,
  },
  { args: ['version', 'get', id, '0'], request: `GET /v1/vals/${id}/versions/0`, reply: val },
  {
    args: ['version', 'rm', id, '4', '--yes'],
    request: `DELETE /v1/vals/${id}/versions/4`,
    reply: undefined,
  },
  {
    args: ['val', 'runs', id, '--limit', '5'],
    request: `GET /v1/vals/${id}/runs?limit=5&offset=0`,
    reply: [],
  },
];

describe.each(cases)('vals $args', ({ args, request, body, input, reply }) => {
  it(`sends ${request}`, async () => {
    const service = await scriptedService([{ body: reply }]);
    const { exit, stdout, stderr } = await run([...args, '--json'], { env: service.env, input });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    JSON.parse(stdout);

    expect(service.requests).toHaveLength(1);
    const [seen] = service.requests;
    expect(`${seen?.method} ${seen?.path}`).toBe(request);
    expect(seen?.body && JSON.parse(seen.body)).toEqual(body ?? '');
    expect(seen?.headers).toMatchObject({
      authorization: `Bearer ${testToken}`,
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^vals\/\d/),
    });
    expect(seen?.headers['content-type']).toBe(body === undefined ? undefined : 'application/json');
    const isPost = request.startsWith('POST');
    expect(seen?.headers['idempotency-key']).toEqual(
      isPost ? expect.stringMatching(/^[0-9a-f-]{36}$/) : undefined,
    );
  });
});
