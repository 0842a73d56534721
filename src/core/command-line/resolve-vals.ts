import { resolve as resolvePath } from 'node:path';
import { UsageError, ValsError } from '../errors.ts';
import type { GivenVal } from '../find-val/find-val.ts';
import { hintList } from '../lib/hint.ts';
import { isFile, readableNames } from '../lib/paths.ts';
import { splitVersion } from '../lib/val-word.ts';
import { looksLikeId } from '../routes.ts';
import type { AnyCommand, LoadedCommand, Run } from './command.ts';
import { lookup, openFiles } from './files-of-vals.ts';
import { argumentsOf, optionsOf } from './option-names.ts';

export async function resolveVals(
  command: LoadedCommand,
  input: Record<string, unknown>,
  run: Run,
): Promise<Record<string, unknown>> {
  const isPath = (word: string) =>
    /^[./\\]|\\|\/$/.test(word) || extension.test(word) || isFile(resolvePath(run.settings.cwd, word));
  const vals = [...argumentsOf(command), ...optionsOf(command)].flatMap(([key, { value }]) =>
    value?.val === undefined || (value.val.orFile && isPath(`${input[key]}`)) ? [] : { key, ...value.val },
  );
  if (!vals.some(({ key }) => [input[key]].flat().some(isName))) return input;
  const isForWriting = command.effect !== 'reads' && command.effect !== 'runs';
  const identify = await createResolver(run, { isForWriting });
  const idOf = async (word: unknown) => (isName(word) ? (await identify(word)).id : word);
  const resolved: Record<string, unknown> = { ...input };
  for (const { key, orVersion, orFile } of vals) {
    const words = input[key];
    if (orVersion) {
      const { val, version } = splitVersion(`${words}`);
      const id = await idOf(val).catch((error) => {
        throw orFile ? namingFile(error, val, command, run) : error;
      });
      resolved[key] = `${id}${version === undefined ? '' : `@${version}`}`;
    } else if (!Array.isArray(words)) resolved[key] = await idOf(words);
    else {
      const ids: unknown[] = [];
      for (const word of words) ids.push(await idOf(word));
      resolved[key] = ids;
    }
  }
  return resolved;
}

/** Somebody who leaves out the extension of a file learns of the file. */
function namingFile(error: unknown, word: string, { path }: LoadedCommand, { settings }: Run): unknown {
  const file = readableNames(settings.cwd).find((name) => name.replace(extension, '') === word);
  if (file === undefined || !(error instanceof ValsError)) return error;
  const hint = { text: `There is a file ${file}. To ${path} it`, command: path, input: { val: file } };
  error.facts.hint = [hint, ...hintList(error.facts.hint)];
  return error;
}

const extension = /\.[mc]?[jt]sx?$/;

const isName = (word: unknown): word is string => typeof word === 'string' && !looksLikeId(word);

/** Finds the vals of the words, and remembers for hints what the user typed. */
export async function createResolver(
  run: Run,
  { isForWriting = false }: { isForWriting?: boolean } = {},
): Promise<(word: string) => Promise<GivenVal>> {
  const { findVal } = await import('../find-val/find-val.ts');
  const options = { ...lookup(run), fileOf: await openFiles(run), isForWriting };
  return async (word) => {
    const val = await findVal(word, options);
    run.vals.rememberWord(val);
    return val;
  };
}

/** Puts the lines of standard input in the place of `-`, for a command that takes vals from there. */
export async function readWordsFromInput(
  command: AnyCommand,
  input: Record<string, unknown>,
  run: Run,
): Promise<Record<string, unknown>> {
  const [key] = argumentsOf(command).find(([, { value }]) => value.val?.orInput) ?? [];
  const words = key === undefined ? undefined : input[key];
  if (key === undefined || !Array.isArray(words) || !words.includes('-')) return input;
  if (!input.yes && !input.dryRun) {
    throw new UsageError('The vals come from standard input, so nobody can be asked.', {
      hint: { text: 'To go on without a question', input: { yes: true } },
    });
  }
  const { readText } = await import('../files/read-text.ts');
  const lines = (await readText('-', run)).split(/\r?\n/).filter((line) => line.trim() !== '');
  return { ...input, [key]: words.flatMap((word) => (word === '-' ? lines : word)) };
}
