import { keptFile } from './harness.ts';
import { type Asking, rowsOf } from './model.ts';

export interface Command extends Asking {
  name: string;
  args: readonly string[];
  path: string;
  status: number;
  good: unknown;
  isBatch: boolean;
  input: string;
}

export const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const at = '2024-05-06T07:08:09.000Z';
const val = { id, name: 'hello', code: 'export default 1', privacy: 'private', version: 3, createdAt: at };
const run = {
  id: 'run-1',
  val: { id, name: 'hello', version: 3 },
  runStartAt: at,
  runEndAt: at,
  error: null,
};
const like = { id, name: 'liked', author: { username: 'ada' } };
const comment = { id: 'comment-1', comment: 'fine', createdAt: at, author: { username: 'ada' }, val: { id } };
const reference = { reference: { id, name: 'user' }, dependsOn: { id, name: 'used' }, referencedAt: at };
const list = (row: unknown) => ({ data: [row], links: { self: 'https://vals.example/' } });

const code = 'export default 1\n';
const largeCode = `// ${'x'.repeat(250_000)}\n`;

const read = (
  name: string,
  path: string,
  good: unknown,
  reads: 'record' | 'list',
  args = name.split(' '),
) => ({
  name,
  args,
  method: 'GET' as const,
  path,
  status: 200,
  good,
  reads,
  unpaged: /\/(?:references|versions|versions\/\d+)$/.test(path),
  looksForVal: name === 'val runs',
  isBatch: false,
});
const post = (name: string, args: string[], path: string) => ({
  name,
  args,
  method: 'POST' as const,
  path,
  status: 201,
  good: val,
  reads: 'record' as const,
  isBatch: false,
});
const remove = (name: string, args: string[], path: string) => ({
  name,
  args: [...args, '--yes'],
  method: 'DELETE' as const,
  path,
  status: 204,
  good: undefined,
  reads: 'nothing' as const,
  isBatch: true,
});

function commandsWith(input: string, file: string): readonly Command[] {
  return [
    read('me', '/v1/me', { id: 'user-1', username: 'ada' }, 'record'),
    read('runs', '/v1/me/runs', list(run), 'list'),
    read('likes', '/v1/me/likes', list(like), 'list'),
    read('comments', '/v1/me/comments', list(comment), 'list'),
    read('refs', '/v1/me/references', list(reference), 'list'),
    post('val create', ['val', 'create', 'hello'], '/v1/vals'),
    {
      name: 'push',
      args: ['push', file],
      method: 'PUT' as const,
      path: '/v1/vals',
      status: 200,
      good: val,
      reads: 'what there is' as const,
      isBatch: true,
    },
    read('val get', `/v1/vals/${id}`, val, 'record', ['val', 'get', id]),
    remove('val rm', ['val', 'rm', id], `/v1/vals/${id}`),
    read('val runs', `/v1/vals/${id}/runs`, list(run), 'list', ['val', 'runs', id]),
    read('version ls', `/v1/vals/${id}/versions`, list({ valId: id, version: 1, createdAt: at }), 'list', [
      'version',
      'ls',
      id,
    ]),
    post('version new', ['version', 'new', id], `/v1/vals/${id}/versions`),
    read('version get', `/v1/vals/${id}/versions/3`, val, 'record', ['version', 'get', id, '3']),
    remove('version rm', ['version', 'rm', id, '3'], `/v1/vals/${id}/versions/3`),
  ].map((command) => ({ ...command, input }));
}

export const commands = commandsWith(code, keptFile('hello.ts', code));
export const largeCommands = commandsWith(largeCode, keptFile('large.ts', largeCode));

export const oneEach = ['me', 'val create', 'push', 'val rm'];

export function printed(command: Command, value: unknown): unknown {
  switch (command.reads) {
    case 'record':
      return value === undefined ? {} : value;
    case 'list':
      return rowsOf(value);
    case 'nothing':
      return [{ id, ...(command.name === 'version rm' && { version: 3 }), status: 'deleted' }];
    case 'what there is': {
      const { id, version } = (value ?? {}) as { id?: unknown; version?: unknown };
      const [, file = ''] = command.args;
      return [
        {
          file,
          name: file.replace(/^.*\/|\.ts$/g, ''),
          status: 'pushed',
          ...(typeof id === 'string' && { id }),
          ...(version !== undefined && { version }),
        },
      ];
    }
  }
}
