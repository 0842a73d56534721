import { type Asking, rowsOf } from './model.ts';

export interface Command extends Asking {
  name: string;
  args: readonly string[];
  path: string;
  status: number;
  good: unknown;
  input: string;
}

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const val = { id, name: 'hello', code: 'export default 1', privacy: 'private', version: 3 };
const run = { id: 'run-1', val: { id, name: 'hello', version: 3 }, error: null };
const runs = { data: [run], links: { self: 'https://vals.example/' } };

export const files = {
  'hello.ts': 'export default 1\n',
  'large.ts': `// ${'x'.repeat(250_000)}\n`,
};

/** One command for each way to send a request and read its reply. The other commands differ only in their routes. */
const lines: [line: string, request: string, status: number, good: unknown, reads: Asking['reads']][] = [
  ['me', 'GET /v1/me', 200, { id: 'user-1', username: 'ada' }, 'record'],
  ['runs', 'GET /v1/me/runs', 200, runs, 'list'],
  ['val create hello', 'POST /v1/vals', 201, val, 'record'],
  ['push hello.ts', 'PUT /v1/vals', 200, val, 'what there is'],
  [`val rm ${id} --yes`, `DELETE /v1/vals/${id}`, 204, undefined, 'nothing'],
];

export const commands: readonly Command[] = lines.map(([line, request, status, good, reads]) => {
  const [method, path = ''] = request.split(' ') as [Asking['method'], string];
  return { name: line, args: line.split(' '), method, path, status, good, reads, input: files['hello.ts'] };
});

export const withLargeCode = (command: Command): Command => ({
  ...command,
  args: command.args.map((word) => word.replace('hello.ts', 'large.ts')),
  input: files['large.ts'],
});

export function printed({ reads, args }: Command, value: unknown): unknown {
  switch (reads) {
    case 'record':
      return value === undefined ? null : value;
    case 'list':
      return rowsOf(value);
    case 'nothing':
      return [{ id, status: 'deleted' }];
    case 'what there is': {
      const { id, version } = (value ?? {}) as { id?: unknown; version?: unknown };
      const [, file = ''] = args;
      const shown = { ...(typeof id === 'string' && { id }), ...(version !== undefined && { version }) };
      return [{ file, name: file.replace('.ts', ''), status: 'sent', ...shown }];
    }
  }
}
