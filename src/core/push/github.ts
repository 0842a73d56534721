// In GitHub Actions, a line that begins with `::error file=` makes GitHub show the error beside the file.

import { isAbsolute, relative, resolve } from 'node:path';
import type { Context } from '../command-line/command.ts';
import { UnavailableError, ValsError } from '../errors.ts';
import type { OutcomeRow } from '../output/out.ts';

/** A failure that is the service's and not a file's has the same line for all files, and is said once. */
export function annotateFailures(context: Context, rows: readonly OutcomeRow[]): void {
  if (context.host.env.GITHUB_ACTIONS !== 'true') return;
  const lines = rows.flatMap(({ file, error }) =>
    error instanceof ValsError ? lineFor(`${file}`, error, context) : [],
  );
  for (const text of new Set(lines)) context.out.say({ kind: 'lines', text, despite: 'pipe' });
}

function lineFor(file: string, error: ValsError, context: Context): string {
  const text = percentEncoded(error.message, /[%\r\n]/g);
  const isOfService = error.scope === 'all' || error instanceof UnavailableError;
  return isOfService ? `::error::${text}` : `::error ${placeIn(file, error.facts, context)}::${text}`;
}

function placeIn(file: string, { place }: ValsError['facts'], context: Context): string {
  const path = percentEncoded(pathInCheckout(file, context), /[%\r\n:,]/g);
  return `file=${path}${place === undefined ? '' : `,line=${place.line},col=${place.column}`}`;
}

const percentEncoded = (text: string, characters: RegExp): string =>
  text.replace(characters, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${code.padStart(2, '0')}`;
  });

function pathInCheckout(file: string, { host: { env }, settings }: Context): string {
  const checkout = env.GITHUB_WORKSPACE;
  if (!checkout) return file;
  const path = relative(checkout, resolve(settings.cwd, file));
  const isOutside = path === '' || path.startsWith('..') || isAbsolute(path);
  return isOutside ? file : path;
}
