// A val is one file. What it imports from beside it is no part of it.
import type { Context } from '../command-line/command.ts';
import { someOf } from '../lib/hint.ts';

interface SentFile {
  file: string;
  code: string;
}

/** Imports of types alone are left out when the code runs. */
const relativeImport =
  /^[ \t]*(?:import\b(?!\s+type\b)(?:[^'";(]*\bfrom)?|export\b(?!\s+type\b)[^'";]*\bfrom)\s*['"]\.{1,2}\/|\bimport\(\s*['"]\.{1,2}\//m;

/** One line about all files that were sent. */
export function noteRelativeImports(
  { out: { say } }: Pick<Context, 'out'>,
  files: readonly SentFile[],
): void {
  const importing = files.filter(({ code }) => relativeImport.test(code)).map(({ file }) => file);
  if (importing.length === 0) return;
  const text =
    importing.length === 1
      ? `${importing[0]} imports a file beside it. A val is one file, so this one cannot run on a service.`
      : `${someOf(importing)} import files beside them. A val is one file, so these cannot run on a service.`;
  say({ kind: 'note', text });
}
