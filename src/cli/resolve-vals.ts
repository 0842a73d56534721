import { resolve as resolvePath } from 'node:path';
import { looksLikeId } from '../api/routes.ts';
import { NotFoundError } from '../errors.ts';
import { isFile } from '../lib/paths.ts';
import { splitVersion } from '../lib/val-word.ts';
import { findRoot } from '../workspace/disk/root.ts';
import type { WorkspaceNames } from '../workspace/typed-words.ts';
import { type AnyCommand, argumentsOf, optionsOf } from './command.ts';
import type { Context } from './context.ts';

export async function resolveVals(
  command: AnyCommand,
  input: Record<string, unknown>,
  context: Context,
): Promise<Record<string, unknown>> {
  const isPath = (word: string) =>
    /[\\/]|\.[mc]?[jt]sx?$/.test(word) || isFile(resolvePath(context.settings.cwd, word));
  const vals = [...argumentsOf(command), ...optionsOf(command)].flatMap(([key, { value }]) =>
    value?.val === undefined || (value.val.orFile && isPath(`${input[key]}`)) ? [] : { key, ...value.val },
  );
  if (!vals.some(({ key }) => [input[key]].flat().some(isName))) return input;
  // All commands that take a val and write have the option --dry-run. Commands that only read do not have the option.
  const isForWriting = optionsOf(command).some(([key]) => key === 'dryRun');
  const confirmsListedVals = isForWriting || vals.some(({ runsCode }) => runsCode);
  const resolve = await createResolver(context, { isForWriting, confirmsListedVals });
  const idOf = async (word: unknown) => (isName(word) ? resolve(word) : word);
  const resolved: Record<string, unknown> = { ...input };
  for (const { key, orVersion } of vals) {
    const words = input[key];
    if (orVersion) {
      const { val, version } = splitVersion(`${words}`);
      resolved[key] = `${await idOf(val)}${version === undefined ? '' : `@${version}`}`;
    } else if (!Array.isArray(words)) resolved[key] = await idOf(words);
    else {
      const ids: unknown[] = [];
      for (const word of words) ids.push(await idOf(word));
      resolved[key] = ids;
    }
  }
  return resolved;
}

const isName = (word: unknown): word is string =>
  typeof word === 'string' && !looksLikeId(word) && !['', '.', '..'].includes(word);

export async function createResolver(
  context: Context,
  { isForWriting, confirmsListedVals }: { isForWriting: boolean; confirmsListedVals: boolean },
): Promise<(word: string) => Promise<string>> {
  const root = findRoot(context.settings.cwd);
  const names =
    root === undefined
      ? undefined
      : (await import('../workspace/typed-words.ts')).readWorkspaceNames(root, context.settings);
  const { createConfirm, createFinder } = await import('../names/find-val.ts');
  const reading = { ...context, onRead: context.givenVals.rememberVal };
  const confirm = createConfirm(reading);
  const find = createFinder({ ...reading, isForWriting, namesToSuggest: names?.namesAndFiles ?? [] });

  async function idOfListed(word: string, { id, name, notFound }: ListedVal): Promise<string> {
    if (id === undefined) {
      const found = await find(name).catch((error) => {
        throw error instanceof NotFoundError ? notFound() : error;
      });
      return found.id;
    }
    if (confirmsListedVals && word !== id) await confirm({ id, name });
    return id;
  }

  return async (word) => {
    const listed = names?.find(word);
    const val =
      listed === undefined ? await find(word) : { id: await idOfListed(word, listed), name: listed.name };
    context.givenVals.rememberWord(word, val);
    return val.id;
  };
}

type ListedVal = NonNullable<ReturnType<WorkspaceNames['find']>>;
