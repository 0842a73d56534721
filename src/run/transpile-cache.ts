import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../lib/paths.ts';
import { replaceFile } from '../lib/system.ts';
import type { Source, Transpiled } from './transpile.ts';
import type { CompilerOptions } from './tsconfig.ts';

export type Transpile = (source: Source, options: CompilerOptions) => Promise<Transpiled>;

/**
 * Keeps the result for each file, because starting esbuild takes a fifth of the time of a short run. The result counts
 * only for the same code, options and version of vals.
 */
export function createTranspiler(folder: string | undefined): Transpile {
  return async (source, options) => {
    const key = JSON.stringify([VERSION, options, source]);
    const file = folder && join(folder, fileName(source.place));
    const kept = file === undefined ? undefined : readKept(file, key);
    if (kept !== undefined) return kept;
    const { transpile } = await import('./transpile.ts');
    const transpiled = await transpile(source, options);
    if (folder !== undefined && file !== undefined) keep(folder, file, { key, transpiled });
    return transpiled;
  };
}

/** Two places may have the same name, because it is cut: the key tells them apart. */
const fileName = (place: string): string => `${Buffer.from(place).toString('base64url').slice(-200)}.json`;

function readKept(file: string, key: string): Transpiled | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    return kept.key === key ? kept.transpiled : undefined;
  } catch {
    return undefined;
  }
}

function keep(folder: string, file: string, content: { key: string; transpiled: Transpiled }): void {
  try {
    makeFolder(folder, 0o700);
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(content), { mode: 0o600 });
    replaceFile(unfinished, file);
  } catch {
    // Without the file, the next run transpiles again.
  }
}
