import { resolve as resolvePath } from 'node:path';
import { looksLikeId } from '../api/routes.ts';
import { isFile } from '../lib/paths.ts';
import { splitVersion } from '../lib/val-word.ts';
import type { Identify } from '../names/identify.ts';
import { argumentsOf, optionsOf } from './command.ts';
import type { LoadedCommand } from './command-tree.ts';
import type { Context } from './context.ts';

export async function resolveVals(
  command: LoadedCommand,
  input: Record<string, unknown>,
  context: Context,
): Promise<Record<string, unknown>> {
  const isPath = (word: string) =>
    /[\\/]|\.[mc]?[jt]sx?$/.test(word) || isFile(resolvePath(context.settings.cwd, word));
  const vals = [...argumentsOf(command), ...optionsOf(command)].flatMap(([key, { value }]) =>
    value?.val === undefined || (value.val.orFile && isPath(`${input[key]}`)) ? [] : { key, ...value.val },
  );
  if (!vals.some(({ key }) => [input[key]].flat().some(isName))) return input;
  const isForWriting = command.effect !== 'reads' && command.effect !== 'runs';
  const confirmsListedVals = isForWriting || vals.some(({ runsCode }) => runsCode);
  const identify = await createResolver(context, { isForWriting, confirmsListedVals });
  const idOf = async (word: unknown) => (isName(word) ? (await identify(word)).id : word);
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

/** Finds the vals of the words, and remembers for hints what the user typed. */
export async function createResolver(
  context: Context,
  { isForWriting, confirmsListedVals }: { isForWriting: boolean; confirmsListedVals: boolean },
): Promise<Identify> {
  const { createIdentify } = await import('../names/identify.ts');
  const { createWorkspaces } = await import('../workspace/workspaces.ts');
  const { rememberVal, rememberWord } = context.givenVals;
  const identify = createIdentify({
    ...context,
    workspaces: createWorkspaces(context),
    isForWriting,
    confirmsListedVals,
    onRead: rememberVal,
  });
  return async (word) => {
    const identity = await identify(word);
    rememberWord(word, identity);
    return identity;
  };
}
