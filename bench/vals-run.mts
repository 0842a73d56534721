import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare } from './compare.mts';
import { outputOf, timed } from './processes.mts';
import type { Bench, Measurement } from './types.mts';

export const valsRun: Measurement = {
  name: 'run',
  async measure(bench) {
    const cwd = bench.newFolder();
    writeFileSync(join(cwd, 'hello.ts'), `const greeting: string = 'hello';\nconsole.log(greeting);\n`);
    writeFileSync(join(cwd, 'lines.ts'), printing(bench.count(100_000)));
    writeModules(cwd, bench.count(200));
    const tsx = fileURLToPath(import.meta.resolve('tsx/cli'));
    const besideTsx = (file: string, atMost: number) => ({
      what: timed(`vals run ${file}`, bench.vals(['run', file], { cwd })),
      to: timed(`tsx ${file}`, bench.node([tsx, file], { cwd })),
      atMost,
    });
    return compare(bench.often, [
      besideTsx('hello.ts', (await majorVersion(bench)) < 22 ? 0.7 : 1),
      besideTsx('modules.ts', 0.7),
      besideTsx('lines.ts', 1),
    ]);
  },
};

const majorVersion = async (bench: Bench): Promise<number> =>
  Number(await outputOf(bench.node(['-p', 'parseInt(process.versions.node)'])));

const printing = (lines: number): string =>
  `for (let line: number = 0; line < ${lines}; line += 1) console.log('line ' + line);\n`;

/** Each module imports two others, so that the loader meets them as in a real program. */
function writeModules(folder: string, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const imported = [2 * index + 1, 2 * index + 2].filter((other) => other < count);
    const lines = [
      ...imported.map((other) => `import { value${other} } from './module${other}.ts';`),
      `export interface Options${index} { name: string; count?: number }`,
      `export const value${index}: number = ${[index, ...imported.map((other) => `value${other}`)].join(' + ')};`,
      `export const show${index} = ({ name, count = 1 }: Options${index}): string => name.repeat(count);`,
    ];
    writeFileSync(join(folder, `module${index}.ts`), `${lines.join('\n')}\n`);
  }
  writeFileSync(join(folder, 'modules.ts'), `import { value0 } from './module0.ts';\nconsole.log(value0);\n`);
}
