import { resolve as resolvePath } from 'node:path';
import { UsageError, ValsError } from '../errors.ts';
import type { GivenVal, ReadVal } from '../find-val/find-val.ts';
import { summaryOf, textAt } from '../http/record-fields.ts';
import { hintList, sh } from '../lib/hint.ts';
import { isFile, readableNames } from '../lib/paths.ts';
import { getVal, looksLikeId } from '../routes.ts';
import type { AnyCommand, LoadedCommand, Run } from './command.ts';
import { lookup, openFiles } from './files-of-vals.ts';
import { argumentsOf, optionsOf } from './option-names.ts';
import type { ValReference } from './value-types.ts';

/** Puts the vals that the words mean in the place of the words. */
export async function resolveVals(
  command: LoadedCommand,
  input: Record<string, unknown>,
  run: Run,
): Promise<Record<string, unknown>> {
  const vals = [...argumentsOf(command), ...optionsOf(command)].flatMap(([key, { value }]) =>
    value?.val === undefined ? [] : [{ key, ...value.val }],
  );
  const isForWriting = command.effect !== 'reads' && command.effect !== 'runs';
  const resolved: Record<string, unknown> = { ...input };
  let identify: Awaited<ReturnType<typeof createResolver>> | undefined;
  async function resolve(typed: string, { orFile, orVersion }: ValReference): Promise<GivenVal> {
    if (orFile && isPath(typed, run)) return { id: typed, word: typed };
    const { val: word, version } = orVersion ? splitVersion(typed) : { val: typed, version: undefined };
    if (looksLikeId(word)) return { id: word, word, ...(version !== undefined && { version }) };
    identify ??= await createResolver(run, { isForWriting });
    const found = await identify(word).catch((error) => {
      throw orFile ? namingFile(error, word, command, run) : error;
    });
    return { ...found, ...(version !== undefined && { version }) };
  }
  for (const { key, ...reference } of vals) {
    const given = input[key];
    if (isGivenVal(given)) resolved[key] = await resolve(given.word, reference);
    if (!isListOfVals(given)) continue;
    const list: GivenVal[] = [];
    // The code of many large vals would fill the memory.
    for (const { word } of given) {
      const { read, ...val } = await resolve(word, reference);
      list.push({ ...val, ...(read && { read: summarized(read) }) });
    }
    resolved[key] = list;
  }
  return resolved;
}

const isGivenVal = (value: unknown): value is GivenVal =>
  typeof value === 'object' && value !== null && 'word' in value;

const isListOfVals = (value: unknown): value is GivenVal[] => Array.isArray(value) && value.every(isGivenVal);

const isPath = (word: string, { settings }: Run): boolean =>
  /^[./\\]|\\|\/$/.test(word) || extension.test(word) || isFile(resolvePath(settings.cwd, word));

const summarized = ({ record, etag }: ReadVal): ReadVal => ({ record: summaryOf(record), etag });

/** The val with its name, version, privacy and times, which are read unless they are known. */
export async function readVal(run: Run, val: GivenVal): Promise<GivenVal & { read: ReadVal }> {
  const read = val.read ?? (await (await run.api()).recordWithEtag(getVal(val.id)));
  return { ...val, read: summarized(read) };
}

/** What messages call the val. */
export const labelOf = ({ read, word }: GivenVal): string => textAt(read?.record ?? null, 'name') ?? word;

/** For a row of a table that has the id, too. */
export const knownName = (val: GivenVal): { name?: string } =>
  labelOf(val) === val.id ? {} : { name: labelOf(val) };

/** Somebody who leaves out the extension of a file learns of the file. */
function namingFile(error: unknown, word: string, { path }: LoadedCommand, { settings }: Run): unknown {
  const file = readableNames(settings.cwd).find((name) => name.replace(extension, '') === word);
  if (file === undefined || !(error instanceof ValsError)) return error;
  const hint = sh`There is a file ${file}. To ${path} it, run ${[...path.split(' '), file]}.`;
  error.facts.hint = [hint, ...hintList(error.facts.hint)];
  return error;
}

const extension = /\.[mc]?[jt]sx?$/;

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
  const vals = key === undefined ? undefined : input[key];
  const isInput = ({ word }: GivenVal) => word === '-';
  if (key === undefined || !isListOfVals(vals) || !vals.some(isInput)) return input;
  if (!input.yes && !input.dryRun) {
    throw new UsageError('The vals come from standard input, so nobody can be asked.', {
      hint: 'To go on without a question, add --yes.',
    });
  }
  const { readText } = await import('../files/read-text.ts');
  const lines = (await readText('-', run)).split(/\r?\n/).filter((line) => line.trim() !== '');
  const fromInput = lines.map((word) => ({ id: word, word }));
  return { ...input, [key]: vals.flatMap((val) => (isInput(val) ? fromInput : val)) };
}

interface ValWord {
  val: string;
  version?: number;
}

function splitVersion(word: string): ValWord {
  const [, val, version] = /^(.+)@(\d+)$/.exec(word) ?? [];
  return val === undefined || version === undefined ? { val: word } : { val, version: Number(version) };
}
