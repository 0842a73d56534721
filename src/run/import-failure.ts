import { RunFailedError } from '../core/errors.ts';
import { fittingSpecifier, isFilePath, type MissingImport, packageIn } from './modules/resolve.ts';
import type { Source } from './modules/transpile.ts';

export function importFailure(missing: MissingImport, importer: Source | undefined): RunFailedError {
  const { specifier } = missing.written;
  const place = importer && placeOfImport(specifier, importer);
  const [problem, hint] = explain(missing);
  const where = place === undefined ? '' : ` (${place})`;
  return new RunFailedError(`${importer?.name ?? 'The val'} imports ${specifier}, ${problem}${where}.`, {
    hint,
  });
}

function explain(missing: MissingImport): [problem: string, hint: string] {
  const { specifier } = missing.written;
  if (isFilePath(specifier)) {
    const fitting = fittingSpecifier(missing);
    const hint = fitting === undefined ? 'Fix the import, or create the file.' : `Write '${fitting}'.`;
    return ['and there is no such file', hint];
  }
  if (specifier.startsWith('#')) return ['and package.json has no such import', 'Fix the import.'];
  const name = packageIn(specifier);
  const isInRegistry = /^(?:@[\w-][\w.-]*\/)?\w[\w.-]*$/.test(name);
  const hint = isInRegistry ? `To install the package, run \`npm install ${name}\`.` : 'Fix the import.';
  return ['and no such package is installed', hint];
}

/** Where the source names the import, such as `a.ts:1:20`. */
export const placeOfImport = (specifier: string, source: Source): string | undefined =>
  placeOfText(`'${specifier}'`, source) ?? placeOfText(`"${specifier}"`, source);

export function placeOfText(text: string, { name, code }: Source): string | undefined {
  const index = code.indexOf(text);
  if (index === -1) return undefined;
  const lines = code.slice(0, index).split('\n');
  return `${name}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}
