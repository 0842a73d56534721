import { RunFailedError } from '../core/errors.ts';
import type { Source } from './transpile.ts';

/** An import for which neither Node nor the habits of TypeScript found a file. */
export interface MissingImport {
  specifier: string;
  /** As the code has it, such as `npm:lodash@4`. */
  written: string;
  from: string;
  /** A path of tsconfig.json stands for the import. */
  isMapped: boolean;
}

export function importFailure(missing: MissingImport, importer: Source | undefined): RunFailedError {
  const { written } = missing;
  const place = importer && placeOfImport(written, importer);
  const [problem, hint] = explain(missing);
  const where = place === undefined ? '' : ` (${place})`;
  return new RunFailedError(`${importer?.name ?? 'The val'} imports ${written}, ${problem}${where}.`, {
    hint,
  });
}

function explain({ specifier, isMapped }: MissingImport): [problem: string, hint: string] {
  if (/^[./#]|^file:/.test(specifier))
    return ['and there is no such file', 'Fix the import, or create the file.'];
  if (isMapped) return ['and there is no such file', 'Check "paths" and "baseUrl" in tsconfig.json.'];
  const problem = 'and no such package is installed';
  const name = packageIn(specifier);
  const isInRegistry = /^(?:@[\w-][\w.-]*\/)?\w[\w.-]*$/.test(name);
  return [problem, isInRegistry ? `To install the package, run \`npm install ${name}\`.` : 'Fix the import.'];
}

const packageIn = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';

/** Where the source names the import, such as `a.ts:1:20`. */
export const placeOfImport = (specifier: string, source: Source): string | undefined =>
  placeOfText(`'${specifier}'`, source) ?? placeOfText(`"${specifier}"`, source);

export function placeOfText(text: string, { name, code }: Source): string | undefined {
  const index = code.indexOf(text);
  if (index === -1) return undefined;
  const lines = code.slice(0, index).split('\n');
  return `${name}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}
