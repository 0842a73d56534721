// The errors for a word that stands for no val, or for several.
import { basename, join } from 'node:path';
import { AuthError, NotFoundError, UsageError } from '../errors.ts';
import { isFile } from '../lib/paths.ts';
import { asQuestion, didYouMean } from '../lib/suggest.ts';
import { chosenBaseUrl, type Settings } from '../settings/settings.ts';
import type { WorkspaceVal } from '../workspace/vals.ts';
import {
  isTypedInside,
  nameOf,
  pathTo,
  type Workspace,
  type WorkspaceFiles,
} from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';

export const isSignedOut = (settings: Settings): boolean =>
  !settings.local.value && settings.token === undefined;

export const withoutToken = (settings: Settings, word: string): AuthError => {
  const { origin, href } = chosenBaseUrl(settings);
  return new AuthError(`The val "${word}" cannot be found by its name: there is no token for ${origin}.`, {
    hint: [
      { text: 'To sign in', command: 'login', input: { baseUrl: href } },
      "Or set VALS_TOKEN, or give the val's whole id.",
    ],
  });
};

interface Known {
  workspaces: Workspaces;
  names: readonly string[];
  /** The service has a list of vals. */
  isListed: boolean;
}

export function unknownWord(word: string, { workspaces, names, isListed }: Known): NotFoundError {
  const place = workspaces.placeOf(word);
  if (place !== undefined && isFile(join(place.workspace.root, place.file))) {
    return new NotFoundError(`${word} is not a val yet.`, {
      hint: { text: 'To push the file', command: 'push', input: { paths: [word] } },
    });
  }
  const here = workspaces.here();
  const known = [...(here === undefined ? [] : namesAndPaths(here)), ...names];
  return new NotFoundError(`There is no val named ${word}.${suggestion(word, known)}`, {
    hint: isListed
      ? { text: 'To list your vals', command: 'ls' }
      : 'This service cannot list vals, so give the id. Once this machine has seen a val, its name works too.',
  });
}

export function notInThisWorkspace(workspace: WorkspaceFiles, word: string): NotFoundError {
  const list = { text: 'To list the vals of the workspace', command: 'status' };
  return new NotFoundError(
    `The workspace has no val "${word}".${suggestion(word, namesAndPaths(workspace))}`,
    { hint: isTypedInside(workspace) ? list : [`Go to the folder ${pathTo(workspace, '.')}.`, list] },
  );
}

const namesAndPaths = (workspace: WorkspaceFiles): string[] =>
  [...workspace.vals].flatMap(({ name, file }) => [name, pathTo(workspace, file)]);

function suggestion(word: string, known: readonly string[]): string {
  const inFolder = known.find((each) => each !== word && basename(each) === word);
  return inFolder === undefined ? didYouMean(word, known) : asQuestion([`"${inFolder}"`]);
}

export function withoutId(workspace: Workspace, val: WorkspaceVal): NotFoundError {
  const service = nameOf(workspace.service);
  const path = pathTo(workspace, val.file);
  if (workspace.records.of(val) === undefined) {
    return new NotFoundError(`The val "${val.name}" is in the workspace, but not on ${service}.`, {
      hint: { text: 'To push the val', command: 'push', input: { paths: [path] } },
    });
  }
  return new NotFoundError(`The val "${val.name}" was pushed to ${service}, which sent no id.`, {
    hint: [
      'Find the id of the val on the service.',
      { text: 'To make the id known', command: 'pull', input: { vals: true } },
    ],
  });
}

export interface NamedVal {
  id: string;
  name: string;
}

const mostShown = 10;

/** A word that stands for two vals stands for none of them. */
export function onlyOne(found: readonly NamedVal[], alike: string): NamedVal | undefined {
  if (found.length <= 1) return found[0];
  const each = found.slice(0, mostShown).map(({ id, name }) => `${id} (${name})`);
  const more = found.length > mostShown ? [`${found.length - mostShown} more`] : [];
  throw new UsageError(`${found.length} vals ${alike}: ${[...each, ...more].join(' and ')}.`, {
    hint: 'Give the whole id of the val that you mean.',
  });
}
