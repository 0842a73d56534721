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

/** One command for each way to send a request and read its reply. The other commands differ only in their routes. */
const commandsWith = (input: string, file: string): readonly Command[] => [
  {
    name: 'me',
    args: ['me'],
    method: 'GET',
    path: '/v1/me',
    status: 200,
    good: { id: 'user-1', username: 'ada' },
    reads: 'record',
    isBatch: false,
    input,
  },
  {
    name: 'runs',
    args: ['runs'],
    method: 'GET',
    path: '/v1/me/runs',
    status: 200,
    good: { data: [run], links: { self: 'https://vals.example/' } },
    reads: 'list',
    isBatch: false,
    input,
  },
  {
    name: 'val create',
    args: ['val', 'create', 'hello'],
    method: 'POST',
    path: '/v1/vals',
    status: 201,
    good: val,
    reads: 'record',
    isBatch: false,
    input,
  },
  {
    name: 'push',
    args: ['push', file],
    method: 'PUT',
    path: '/v1/vals',
    status: 200,
    good: val,
    reads: 'what there is',
    isBatch: true,
    input,
  },
  {
    name: 'val rm',
    args: ['val', 'rm', id, '--yes'],
    method: 'DELETE',
    path: `/v1/vals/${id}`,
    status: 204,
    good: undefined,
    reads: 'nothing',
    isBatch: true,
    input,
  },
];

const code = 'export default 1\n';
const largeCode = `// ${'x'.repeat(250_000)}\n`;

export const commands = commandsWith(code, keptFile('hello.ts', code));
export const largeCommands = commandsWith(largeCode, keptFile('large.ts', largeCode));

export function printed(command: Command, value: unknown): unknown {
  switch (command.reads) {
    case 'record':
      return value === undefined ? {} : value;
    case 'list':
      return rowsOf(value);
    case 'nothing':
      return [{ id, status: 'deleted' }];
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
