// Most vals on a service are single files, so an import of another file fails there.
import type { Say } from '../lib/say.ts';

const relativePath = /(['"])(\.{1,2}\/[^'"\n]*)\1/g;
const importKeyword = /^[ \t]*(?:import|export)\b(?!\s+type\s+(?!from\s*['"])[\w{*])/m;

/** Uses several patterns, because one pattern for the whole statement could take very long on some code. */
export function firstRelativeImport(code: string): string | undefined {
  let searchedTo = 0;
  for (const { index, 0: quoted, 2: specifier } of code.matchAll(relativePath)) {
    const before = code.slice(searchedTo, index);
    const clauseStart = Math.max(...[...'\'";()'].map((sign) => before.lastIndexOf(sign))) + 1;
    const clause = before.slice(clauseStart).trimEnd();
    const isImport = /\b(?:from|import)$/.test(clause.slice(-10)) && importKeyword.test(`${clause}"`);
    if (isImport) return specifier;
    searchedTo = index + quoted.length;
  }
  return undefined;
}

function relativeImportWarning(found: readonly { file: string; specifier: string }[]): string | undefined {
  const [first] = [...found].sort((a, b) => (a.file < b.file ? -1 : 1));
  if (first === undefined) return undefined;
  const others = new Set(found.map(({ file }) => file)).size - 1;
  const more =
    others === 0 ? '' : ` ${others} more ${others === 1 ? 'file imports' : 'files import'} other files.`;
  return `${first.file} imports ${first.specifier}, but a val on the service is a single file.${more} Put the code into one file, or import a package.`;
}

/** A val on the service is a single file, so an import of another file cannot work there. */
export function warnOfImports(
  { say }: { say: Say },
  sent: readonly { file: string; code?: string | undefined }[],
): void {
  const found = sent.flatMap(({ file, code = '' }) => {
    const specifier = firstRelativeImport(code);
    return specifier === undefined ? [] : [{ file, specifier }];
  });
  const text = relativeImportWarning(found);
  if (text !== undefined) say({ kind: 'warning', text });
}
