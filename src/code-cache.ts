import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { isOn } from './core/settings/settings.ts';

type Program = typeof import('./main.ts');

/** The build begins main.js with a comment that has the digest of the program. */
const digestPlace = { start: 2, end: 18 } as const;

/**
 * Loads the program from main.js, and keeps its V8 bytecode in `folder`. Without that cache, `vals me --local` takes 1.8
 * times the processor time (Node 20 and 24). Node's own cache, module.enableCompileCache, is slower: 1.2 times (Node 22 and 24).
 *
 * Call `keepBytecode` only if this process uses most of the program, because the bytecode contains only the functions
 * that were called.
 */
export function loadProgram(
  dist: string,
  folder: string | undefined,
): { program: Program; keepBytecode(): void } {
  const filename = `${dist}/main.js`;
  // Latin-1 is read fastest. The build writes ASCII.
  const source = readFileSync(filename, 'latin1');
  // V8 keeps the path, too, which `--debug` shows.
  const digest = source.slice(digestPlace.start, digestPlace.end) + encodeURIComponent(filename);
  const use = useOf(process.argv.slice(2));
  const file = folder && join(folder, `${use}-${process.version}-${process.arch}`);
  const bytecode = file && readBytecode(file, digest);
  const script = new Script(source, { filename, cachedData: bytecode || undefined });
  const isCached = Boolean(bytecode) && !script.cachedDataRejected;
  let isWorthKeeping = use === 'run';
  process.once('exit', (exitCode) => {
    if (!file || exitCode !== 0 || !isWorthKeeping || isCached) return;
    replace(file, Buffer.concat([Buffer.from(digest, 'latin1'), script.createCachedData()]));
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

/** V8 compares only the length of the source, so the file begins with the digest of the program that it was made from. */
function readBytecode(file: string, digest: string): Buffer | undefined {
  try {
    const content = readFileSync(file);
    return content.toString('latin1', 0, digest.length) === digest
      ? content.subarray(digest.length)
      : undefined;
  } catch {
    return undefined;
  }
}

/** If the folder cannot be written, there is no cache. */
function replace(file: string, bytecode: Buffer): void {
  const unfinished = `${file}.${Math.random().toString(36).slice(2)}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch {
    return;
  }
  try {
    writeFileSync(unfinished, bytecode, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(unfinished, file);
  } catch {
    rmSync(unfinished, { force: true });
  }
}
