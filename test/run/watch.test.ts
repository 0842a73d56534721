// `vals run --watch`: a run on each save.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deaf, startRun } from './folder.ts';

const busy = `console.log("busy"); ${deaf}; export const n = 0`;

it('runs again on each save of the file and of what it imports, whatever comes of it', async () => {
  const { folder, vals, shows } = startRun(['--watch', 'a.ts', 'Ada'], {
    'a.ts': 'import { n } from "./lib/n.ts"; export default (name: string) => name + " " + n + "\\n"',
    'lib/n.ts': busy,
  });
  // Also of what the first run has imported and not yet come back from.
  await shows('stderr', 'busy');
  folder.write('lib/n.ts', 'export const n = 1');
  await shows('stdout', 'Ada 1\n');
  folder.write('lib/n.ts', 'export const n = 2');
  await shows('stdout', 'Ada 2\n');
  folder.write('lib/n.ts', 'export const n = ;');
  await shows('stderr', 'lib/n.ts:1:18 has a syntax error');
  folder.write('lib/n.ts', busy.replace('busy', 'again'));
  await shows('stderr', 'again');
  folder.write('lib/n.ts', 'export const n = 4');
  await shows('stdout', 'Ada 4\n');
  rmSync(join(folder.path, 'lib'), { recursive: true });
  await shows('stderr', 'there is no such file');
  folder.write('lib/n.ts', 'export const n = 5');
  await shows('stdout', 'Ada 5\n');
  vals.kill('SIGINT');
  expect((await vals).exitCode).toBe(130);
});
