import { resolve as resolvePath } from 'node:path';
import { looksLikeId } from '../api/routes.ts';
import { NotFoundError } from '../errors.ts';
import { isFile } from '../lib/paths.ts';
import { splitVersion } from '../lib/val-word.ts';
import { findRoot } from '../workspace/disk/root.ts';
import type { WorkspaceNames } from '../workspace/typed-words.ts';
import type { AnyCommand, ArgumentDefinition } from './command.ts';
import type { Context } from './context.ts';

type ValDefinition = Pick<ArgumentDefinition<unknown>, 'isVal' | 'orFile' | 'orVersion' | 'runsCode'>;

export async function resolveVals(
  { arguments: argumentDefinitions = {}, options = {} }: AnyCommand,
  input: Record<string, unknown>,
  context: Context,
): Promise<Record<string, unknown>> {
  const definitions: Record<string, ValDefinition> = { ...argumentDefinitions, ...options };
  const keys = Object.keys(definitions).filter((key) => {
    const definition = definitions[key];
    const word = `${input[key]}`;
    const isPath = () =>
      /[\\/]|\.[mc]?[jt]sx?$/.test(word) || isFile(resolvePath(context.settings.cwd, word));
    return definition?.isVal && !(definition.orFile && isPath());
  });
  if (!keys.some((key) => [input[key]].flat().some(isName))) return input;
  // All commands that take a val and write have the option --dry-run. Commands that only read do not have the option.
  const isForWriting = 'dryRun' in options;
  const confirmsListedVals = isForWriting || keys.some((key) => definitions[key]?.runsCode);
  const resolve = await createResolver(context, { isForWriting, confirmsListedVals });
  const idOf = async (word: unknown) => (isName(word) ? resolve(word) : word);
  const resolved: Record<string, unknown> = { ...input };
  for (const key of keys) {
    const words = input[key];
    if (definitions[key]?.orVersion) {
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
