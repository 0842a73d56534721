// In GitHub Actions, a line that begins with `::error file=` makes GitHub show the error beside the file.
import { isAbsolute, relative, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { concernsAll, UnavailableError, type ValsError } from '../../errors.ts';

type Annotate = (file: string, error: ValsError) => void;

export function createAnnotations(context: Context): Annotate {
  if (context.env.GITHUB_ACTIONS !== 'true') return () => {};
  const said = new Set<string>();
  const line = (text: string) => context.say({ kind: 'lines', text, despite: 'pipe' });
  return (file, error) => {
    const { message, facts } = error;
    const text = percentEncoded(message, /[%\r\n]/g);
    if (!isOfService(error)) return line(`::error ${placeIn(file, facts, context)}::${text}`);
    if (!said.has(text)) line(`::error::${text}`);
    said.add(text);
  };
}

/** Such a failure is the same for all files, and is said once. */
const isOfService = (error: ValsError): boolean => concernsAll(error) || error instanceof UnavailableError;

function placeIn(file: string, { place }: ValsError['facts'], context: Context): string {
  const path = percentEncoded(pathInCheckout(file, context), /[%\r\n:,]/g);
  return `file=${path}${place === undefined ? '' : `,line=${place.line},col=${place.column}`}`;
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
