import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import { isOn } from './core/settings/settings.ts';

type Program = typeof import('./main.ts');

/** The comment that main.js begins with. The build puts the digest of the program into it. */
const headerLength = '/*0123456789abcdef*/'.length;

/**
 * Loads the program from main.js, and stores its V8 bytecode in a file beside main.js. Without that cache, `vals me --local`
 * takes 1.8 times the processor time (Node 20 and 24).
 *
 * Call `keepBytecode` only if this process uses most of the program, because the bytecode contains only the functions
 * that were called.
 */
export function loadProgram(dist: string): { program: Program; keepBytecode(): void } {
  const filename = `${dist}/main.js`;
  // Latin-1 is read fastest. The build writes ASCII.
  const source = readFileSync(filename, 'latin1');
  const digest = source.slice(2, headerLength - 2);
  const use = useOf(process.argv.slice(2));
  const file = `${filename}.${process.version}-${process.arch}-${use}-${digest}.compiled`;
  const bytecode = readIfThere(file);
  const script = new Script(source, { filename, cachedData: bytecode });
  const isCached = bytecode !== undefined && !script.cachedDataRejected;
  let isWorthKeeping = use === 'run';
  process.once('exit', (exitCode) => {
    if (exitCode === 0 && isWorthKeeping && !isCached) replace(file, script.createCachedData());
  });
  return {
    program: evaluate(script, dist),
    keepBytecode() {
      isWorthKeeping = true;
    },
  };
}

function evaluate(script: Script, dist: string): Program {
  const module: { exports: unknown } = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(`${dist}/main.js`), module, dist);
  return module.exports as Program;
}

/**
 * Each use of the program has its own cache, so that other commands do not load the bytecode of the embedded service, and
 * `vals run`, which mostly needs no service, finds its own functions.
 */
function useOf(words: readonly string[]): 'service' | 'run' | 'client' {
  if (words[0] === 'serve' || words.includes('--local') || isOn(process.env.VALS_LOCAL)) return 'service';
  return words[0] === 'run' ? 'run' : 'client';
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** The folder may belong to another user. Then there is no cache. */
function replace(file: string, bytecode: Buffer): void {
  const unfinished = `${file}.${Math.random().toString(36).slice(2)}`;
  try {
    writeFileSync(unfinished, bytecode, { flag: 'wx', mode: 0o644, flush: true });
    renameSync(unfinished, file);
  } catch {
    rmSync(unfinished, { force: true });
  }
}
