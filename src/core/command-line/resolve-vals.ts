import { resolve as resolvePath } from 'node:path';
import { ValsError } from '../errors.ts';
import { nameFrom } from '../files/val-names.ts';
import { isUsableFile } from '../files/within.ts';
import { findVal, type GivenVal } from '../find-val/find-val.ts';
import type { Api } from '../http/api.ts';
import type { Call } from '../http/call.ts';
import { type Hint, hintList, sh } from '../lib/hint.ts';
import { type JsonObject, textAt } from '../lib/json.ts';
import { readableNames, typedAsOnDisk } from '../lib/paths.ts';
import { namePattern } from '../lib/vals.ts';
import { once } from '../lib/waiting.ts';
import { getVal } from '../routes.ts';
import type { Context, FindFile, LoadedCommand, ValUse } from './command.ts';
import { argumentsOf, optionsOf } from './options.ts';
import type { ValReference } from './value-types.ts';

/** Puts the vals that the words mean in the place of the words. */
export async function resolveVals(
  command: LoadedCommand,
  input: Record<string, unknown>,
  context: Context,
): Promise<Record<string, unknown>> {
  const isForWriting = command.effect !== 'reads' && command.effect !== 'runs';
  const find = createValFinder(context, { isForWriting });
  async function resolve(typed: string, { orFile, orVersion }: ValReference): Promise<GivenVal> {
    const isTyped = orFile && isPath(typed, context);
    const [, val, version] = (orVersion && !isTyped && /^(.+)@(\d+)$/.exec(typed)) || [];
    const word = val ?? typed;
    const found =
      orFile && isPath(word, context)
        ? { id: word, word }
        : await find(word).catch((error) => {
            throw orFile ? namingFiles(error, word, command, context) : error;
          });
    return version === undefined ? found : { ...found, version: Number(version) };
  }

  const resolved: Record<string, unknown> = { ...input };
  for (const [key, { value }] of [...argumentsOf(command), ...optionsOf(command)]) {
    const given = input[key];
    if (value?.val === undefined) continue;
    if (isGivenVal(given)) resolved[key] = await resolve(given.word, value.val);
    if (!isListOfVals(given)) continue;
    const list: GivenVal[] = [];
    try {
      for (const { word } of given) list.push(await resolve(word, value.val));
    } catch (error) {
      if (error instanceof ValsError && command.effect === 'deletes' && given.length > 1)
        error.message += ' Nothing was deleted.';
      throw error;
    }
    resolved[key] = list;
  }
  return resolved;
}

const isGivenVal = (value: unknown): value is GivenVal =>
  typeof value === 'object' && value !== null && 'word' in value;

const isListOfVals = (value: unknown): value is GivenVal[] => Array.isArray(value) && value.every(isGivenVal);

/**
 * The word is a file, whether it is there or not, so it is not resolved where a command takes files, too. A word that could be a
 * name is none, so that no file takes the place of a val.
 */
export const isPath = (word: string, { settings, host }: Context): boolean => {
  if (namePattern.test(word)) return false;
  if (/^[./\\]|\\|\/$/.test(word) || extension.test(word)) return true;
  return isUsableFile(resolvePath(settings.cwd, word), host.agent);
};

/** The val with its record, which is read unless it is known. */
export async function withRecord(context: Context, val: GivenVal): Promise<GivenVal> {
  return { ...val, read: val.read ?? (await (await context.api()).recordWithEtag(getVal(val))) };
}

/** The whole record of the val as it is now, which is read unless it is known. */
export const recordOf = async (
  api: Api,
  val: GivenVal,
  more: Pick<Call, 'tokenIsOptional'> = {},
): Promise<JsonObject> => val.read?.record ?? api.record({ ...getVal(val), ...more });

/** What messages call the val. */
export const labelOf = ({ read, word }: GivenVal): string => textAt(read?.record, 'name') ?? word;

/** For a row of a table that has the id, too. */
export const knownName = (val: GivenVal): { name?: string } =>
  labelOf(val) === val.id ? {} : { name: labelOf(val) };

/** The word of a command that takes files, too, is no val. Says which files are there: the extension may be missing. */
function namingFiles(error: unknown, word: string, { path }: LoadedCommand, context: Context): unknown {
  if (error instanceof ValsError)
    error.facts.hint = [hintOnFiles(word, path, context), ...hintList(error.facts.hint)];
  return error;
}

function hintOnFiles(word: string, command: string, { settings: { cwd }, host }: Context): Hint {
  const names = readableNames(cwd);
  const alike = names.find((name) => extension.test(name) && name.replace(extension, '') === word);
  const file = isUsableFile(resolvePath(cwd, word), host.agent) ? `./${word}` : alike;
  if (file !== undefined)
    return sh`There is a file ${file}. To ${command} it, run ${[...command.split(' '), file]}.`;
  return names.includes(word) ? `${word} is a folder here, and no file.` : `There is no file ${word} here.`;
}

const extension = /\.[mc]?[jt]sx?$/;

/** Finds the vals of words. */
export function createValFinder(
  context: Context,
  use: ValUse = { isForWriting: false },
): (word: string) => Promise<GivenVal> {
  const open = once(
    async () => context.tree.openFiles?.(context, use) ?? ((word: string) => plainFile(context, word)),
  );
  const fileOf: FindFile = async (word) => (namePattern.test(word) ? undefined : (await open())(word));
  return (word) => findVal(word, { ...context.vals, ...use, fileOf });
}

async function plainFile({ settings, host }: Context, path: string): ReturnType<FindFile> {
  const isThere = isUsableFile(resolvePath(settings.cwd, path), host.agent);
  const name = isThere ? nameFrom(typedAsOnDisk(path, settings)) : undefined;
  return name === undefined ? undefined : { path, name, syncedId: undefined };
}
