// The errors for a word that stands for no val, or for several.

import { AuthError, NotFoundError, UsageError } from '../errors.ts';
import { asQuestion, sh, someOf } from '../lib/hint.ts';
import { chosenBaseUrl, type Settings } from '../settings/settings.ts';

export const isSignedOut = (settings: Settings): boolean =>
  !settings.local.value && settings.token === undefined;

export const withoutToken = (settings: Settings, word: string): AuthError => {
  const { origin, href } = chosenBaseUrl(settings);
  return new AuthError(`The val "${word}" cannot be found by its name: there is no token for ${origin}.`, {
    hint: [sh`To sign in, run ${['login', href]}.`, "Or set VALS_TOKEN, or give the val's whole id."],
  });
};

interface Known {
  /** Of vals that are there and are called nearly so. */
  names: readonly string[];
  /** The service has a list of vals. */
  isListed: boolean;
}

export const unknownWord = (word: string, { names, isListed }: Known): NotFoundError =>
  new NotFoundError(`There is no val named ${word}.${asQuestion(names.map((name) => `"${name}"`))}`, {
    hint: isListed
      ? sh`To list your vals, run ${['ls']}.`
      : [
          'This service cannot list vals, so give the id.',
          sh`To list the vals that this machine has seen, run ${['ls']}.`,
        ],
  });

export const noValOfFile = (
  { path, name }: { path: string; name: string },
  { isListed }: Pick<Known, 'isListed'>,
): NotFoundError =>
  isListed
    ? new NotFoundError(`${path} is not a val yet: the service has no val named "${name}".`, {
        hint: sh`To push the file, run ${['push', path]}.`,
      })
    : new NotFoundError(`This machine knows no val named "${name}", and the service cannot list vals.`, {
        hint: ['If there is such a val, give its id.', sh`To make it from the file, run ${['push', path]}.`],
      });

/** This machine remembers the name of a val that has another one by now, and nothing else has the name. */
export const renamedMeanwhile = (
  name: string,
  { id, name: now }: { id: string; name?: string },
): NotFoundError =>
  new NotFoundError(`There is no val named ${name} any more: it is named "${now}" on the service.`, {
    hint: `To use the val "${now}", give its name, or its id: ${id}.`,
  });

export interface NamedVal {
  id: string;
  name: string;
}

/** A word that stands for two vals stands for none of them. */
export function onlyOne(found: readonly NamedVal[], alike: string): NamedVal | undefined {
  if (found.length <= 1) return found[0];
  const each = found.map(({ id, name }) => `${id} (${name})`);
  throw new UsageError(`${found.length} vals ${alike}: ${someOf(each, { most: 10 })}.`, {
    hint: 'Give the whole id of the val that you mean.',
  });
}
