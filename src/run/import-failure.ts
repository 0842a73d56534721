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
  const [, scheme] = /^(\w+):/.exec(specifier) ?? [];
  if (scheme !== undefined && scheme !== 'npm') return explainScheme(scheme, specifier);
  if (specifier.startsWith('#')) return ['and package.json has no such import', 'Fix the import.'];
  const name = packageIn(specifier);
  const isInRegistry = /^(?:@[\w-][\w.-]*\/)?\w[\w.-]*$/.test(name);
  const hint = isInRegistry ? `To install the package, run \`npm install ${name}\`.` : 'Fix the import.';
  return ['and no such package is installed', hint];
}

function explainScheme(scheme: string, specifier: string): [problem: string, hint: string] {
  if (scheme === 'node')
    return ['and this Node has no such module', 'Fix the import, or use a Node that has the module.'];
  const [, name] = /^jsr:\/?(@[\w-]+\/[\w-]+)(?=[@/]|$)/.exec(specifier) ?? [];
  const hint =
    name === undefined
      ? 'Import a file, a package, a module of Node or an https: address instead.'
      : `To install the package, run \`npx jsr add ${name}\`. Then import '${name}'.`;
  return ['which Node cannot load', hint];
}

/** Undefined if nothing is required there. */
export function failureOfRequire(
  { name, code }: Source,
  row: number,
  column: number,
): RunFailedError | undefined {
  const line = code.split('\n')[row - 1] ?? '';
  const [, specifier] = /^\w+\(\s*["'`]([^"'`]+)["'`]/.exec(line.slice(column - 1)) ?? [];
  if (specifier === undefined) return undefined;
  return new RunFailedError(
    `${name} requires ${specifier}, an ES module, which this Node cannot load with \`require\` (${name}:${row}:${column}).`,
    { hint: 'Use `import`, or a newer Node, such as 22.23.3 or 24.11.1.' },
  );
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
