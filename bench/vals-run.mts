import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare } from './compare.mts';
import { timed } from './processes.mts';
import type { Measurement } from './types.mts';

export const valsRun: Measurement = {
  name: 'run',
  measure(bench) {
    const cwd = bench.newFolder();
    writeFileSync(join(cwd, 'hello.ts'), `const greeting: string = 'hello';\nconsole.log(greeting);\n`);
    const tsx = fileURLToPath(import.meta.resolve('tsx/cli'));
    const what = timed('vals run hello.ts', bench.vals(['run', 'hello.ts'], { cwd }));
    const to = timed('tsx hello.ts', bench.node([tsx, 'hello.ts'], { cwd }));
    return compare(bench.often, [{ what, to, atMost: 0.6 }]);
  },
};
