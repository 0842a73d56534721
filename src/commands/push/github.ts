// In GitHub Actions, a line that begins with `::error file=` makes GitHub show the error beside the file.
import { isAbsolute, relative, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import type { ValsError } from '../../errors.ts';

export function annotateFailure(
  context: Context,
  file: string,
  { message, facts: { place } }: ValsError,
): void {
  if (context.env.GITHUB_ACTIONS !== 'true') return;
  const path = percentEncoded(pathInCheckout(file, context), /[%\r\n:,]/g);
  const position = place === undefined ? '' : `,line=${place.line},col=${place.column}`;
  context.say({
    kind: 'lines',
    text: `::error file=${path}${position}::${percentEncoded(message, /[%\r\n]/g)}`,
    despite: 'pipe',
  });
}

const percentEncoded = (text: string, characters: RegExp): string =>
  text.replace(characters, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${code.padStart(2, '0')}`;
  });

function pathInCheckout(file: string, { env, settings }: Context): string {
  const checkout = env.GITHUB_WORKSPACE;
  if (!checkout) return file;
  const path = relative(checkout, resolve(settings.cwd, file));
  const isOutside = path === '' || path.startsWith('..') || isAbsolute(path);
  return isOutside ? file : path;
}
