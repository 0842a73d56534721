import { RunFailedError } from '../core/errors.ts';
import { fittingSpecifier, isFilePath, packageIn } from './modules/resolve.ts';
import type { Source } from './modules/transpile.ts';
import { isRemote } from './protocol.ts';

/** Node finds no module for the import. `importer` is the URL of the module that has it. */
export function importFailure(
  specifier: string,
  importer: string,
  source: Source | undefined,
): RunFailedError {
  const place = source && placeOfImport(specifier, source);
  const [problem, hint] = explain(specifier, importer);
  const where = place === undefined ? '' : ` (${place})`;
  return new RunFailedError(`${source?.name ?? 'The val'} imports ${specifier}, ${problem}${where}.`, {
    hint,
  });
}

function explain(specifier: string, importer: string): [problem: string, hint: string] {
  if (isFilePath(specifier)) {
    const fitting = isRemote(importer) ? undefined : fittingSpecifier(specifier, importer);
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
