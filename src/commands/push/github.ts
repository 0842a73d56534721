// Annotates files of a GitHub job: GitHub shows the error beside the file.
import { isAbsolute, relative, resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import type { ValsError } from '../../errors.ts';

/** Does nothing outside of GitHub Actions. */
export function annotateFailure(context: Context, file: string, { message }: ValsError): void {
  if (context.env.GITHUB_ACTIONS !== 'true') return;
  const place = escaped(inCheckout(file, context), /[%\r\n:,]/g);
  context.say.annotate(`::error file=${place}::${escaped(message, /[%\r\n]/g)}`);
}

const escaped = (text: string, characters: RegExp): string =>
  text.replace(characters, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${code.padStart(2, '0')}`;
  });

/** GitHub expects a path relative to the checkout. The step may run in another folder. */
function inCheckout(file: string, { env, settings }: Context): string {
  const checkout = env.GITHUB_WORKSPACE;
  const place = checkout ? relative(checkout, resolve(settings.cwd, file)) : '';
  return place === '' || place.startsWith('..') || isAbsolute(place) ? file : place;
}
