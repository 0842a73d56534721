// What the three scripts have in common: a table of options that take a word, and fillers as one word each.
import type { Filler, OfferedOption, Place, Places } from './places.ts';

/** `file`, `val`, `text`, or the words to choose from, each after a colon. */
export const fillerWord = (filler: Filler): string =>
  typeof filler === 'string' ? filler : filler.map((word) => `:${word}`).join('');

/** Where an option that takes a word stands, under each of its names, and what fills it. */
export function optionsWithFillers({ places, everywhere }: Places) {
  const rows = (path: string | undefined, options: readonly OfferedOption[]) =>
    options.flatMap(({ names, filler }) =>
      filler === undefined ? [] : names.map((name) => ({ path, name, filler: fillerWord(filler) })),
    );
  return [...places.flatMap(({ path, options }) => rows(path, options)), ...rows(undefined, everywhere)];
}

/** For a shell whose words in single quotes end at the next one, whatever stands before it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** For bash and zsh alike: what is offered at a place, which each shell writes in its own way, and what an option takes. */
export const caseTables = (everything: Places, placeRow: (place: Place) => string): string => `\
_vals_place() {
  case $1 in
${everything.places.map(placeRow).join('\n')}
  esac
}

_vals_filler() {
  case "$1 $2" in
${optionsWithFillers(everything)
  .map(
    ({ path, name, filler }) =>
      `    ${path === undefined ? '*' : ''}${quoted(`${path ?? ''} ${name}`)}) filler=${filler} ;;`,
  )
  .join('\n')}
    *) filler= ;;
  esac
}`;
