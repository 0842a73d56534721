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

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const val = { id, name: 'hello', code: 'export default 1', privacy: 'private', version: 3 };
const run = { id: 'run-1', val: { id, name: 'hello', version: 3 }, error: null };
const runs = { data: [run], links: { self: 'https://vals.example/' } };

/** One command for each way to send a request and read its reply. The other commands differ only in their routes. */
function commandsWith(input: string, file: string): readonly Command[] {
  const command = (
    name: string,
    args: readonly string[],
    [method, path]: readonly [Asking['method'], string],
    [status, good, reads]: readonly [number, unknown, Asking['reads']],
  ): Command => {
    const isBatch = method === 'PUT' || method === 'DELETE';
    return { name, args, method, path, status, good, reads, isBatch, input };
  };
  const me = { id: 'user-1', username: 'ada' };
  return [
    command('me', ['me'], ['GET', '/v1/me'], [200, me, 'record']),
    command('runs', ['runs'], ['GET', '/v1/me/runs'], [200, runs, 'list']),
    command('val create', ['val', 'create', 'hello'], ['POST', '/v1/vals'], [201, val, 'record']),
    command('push', ['push', file], ['PUT', '/v1/vals'], [200, val, 'what there is']),
    command('val rm', ['val', 'rm', id, '--yes'], ['DELETE', `/v1/vals/${id}`], [204, undefined, 'nothing']),
  ];
}

const code = 'export default 1\n';
const largeCode = `// ${'x'.repeat(250_000)}\n`;

export const commands = commandsWith(code, keptFile('hello.ts', code));
export const largeCommands = commandsWith(largeCode, keptFile('large.ts', largeCode));

export function printed(command: Command, value: unknown): unknown {
  switch (command.reads) {
    case 'record':
      return value === undefined ? null : value;
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
          status: 'sent',
          ...(typeof id === 'string' && { id }),
          ...(version !== undefined && { version }),
        },
      ];
    }
  }
}
