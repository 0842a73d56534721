// Imports of files beside a val. The service has only the val's own code, so such an import fails there.

/** An import or export at the beginning of a line, unless it is type-only: then it is gone at run time. */
const importStatement =
  /^[ \t]*(?:import|export)\s+(?!type\s+[\w{*][^'"]*?from)(?:[^'";()]*?\bfrom\s*)?(['"])(\.{1,2}\/[^'"\n]*)\1/gm;

export const relativeImports = (code: string): string[] =>
  [...code.matchAll(importStatement)].map(([, , specifier = '']) => specifier);

/** One warning for all files; undefined if there is nothing to warn about. */
export function relativeImportWarning(
  found: readonly { file: string; specifier: string }[],
): string | undefined {
  const [first] = [...found].sort((a, b) => (a.file < b.file ? -1 : 1));
  if (first === undefined) return undefined;
  const others = new Set(found.map(({ file }) => file)).size - 1;
  const more =
    others === 0 ? '' : ` ${others} more ${others === 1 ? 'file has' : 'files have'} such imports.`;
  return `${first.file} imports ${first.specifier}, but on the service a val has no files beside it.${more} Put the code into one file, or import a package.`;
}
