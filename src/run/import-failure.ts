import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RunFailedError } from '../errors.ts';
import { foldersAbove } from '../lib/paths.ts';
import { type OtherRuntime, runtimeOf } from './protocol.ts';
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

function explain({ specifier, from, isMapped }: MissingImport): [problem: string, hint: string] {
  if (/^[./#]|^file:/.test(specifier))
    return ['and there is no such file', 'Fix the import, or create the file.'];
  if (isMapped) return ['and there is no such file', 'Check "paths" and "baseUrl" in tsconfig.json.'];
  const runtime = runtimeOf(specifier);
  if (runtime !== undefined) return ['which Node cannot load', hintFor[runtime](specifier)];
  const problem = 'and no such package is installed';
  if (usesPlugAndPlay(from)) {
    return [
      problem,
      "The project uses Yarn's Plug'n'Play, which `vals run` does not know. Set `nodeLinker: node-modules` in .yarnrc.yml, then run `yarn install`.",
    ];
  }
  const name = packageIn(specifier);
  const isInRegistry = /^(?:@[\w-][\w.-]*\/)?\w[\w.-]*$/.test(name);
  return [problem, isInRegistry ? `To install the package, run \`npm install ${name}\`.` : 'Fix the import.'];
}

const hintFor: Record<OtherRuntime, (specifier: string) => string> = {
  jsr(specifier) {
    const name = packageIn(specifier.replace(/^jsr:\/?/, '')).replace(/(?<=.)@.*$/, '');
    return `Run \`npx jsr add ${name}\`, then import ${name} without \`jsr:\`.`;
  },
  bun: () => 'Only Bun has the modules that begin with `bun:`. Use a module of Node or a package.',
  cloudflare: () =>
    'Only Cloudflare Workers have the modules that begin with `cloudflare:`. A `fetch` method gets its environment as the second argument.',
};

const packageIn = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';

const usesPlugAndPlay = (from: string): boolean =>
  from.startsWith('file:') &&
  foldersAbove(fileURLToPath(from)).some((folder) => existsSync(join(folder, '.pnp.cjs')));

/** Where the source names the import, such as `a.ts:1:20`. */
export const placeOfImport = (specifier: string, source: Source): string | undefined =>
  placeOfText(`'${specifier}'`, source) ?? placeOfText(`"${specifier}"`, source);

export function placeOfText(text: string, { name, code }: Source): string | undefined {
  const index = code.indexOf(text);
  if (index === -1) return undefined;
  const lines = code.slice(0, index).split('\n');
  return `${name}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}
