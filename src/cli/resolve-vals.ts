// The words of a command line that stand for a val, as ids: the one place where a workspace gives a name its meaning.
import { resolve as resolvePath } from 'node:path';
import { looksLikeId } from '../api/id.ts';
import { isFile } from '../lib/is-file.ts';
import { findRoot } from '../workspace/disk/root.ts';
import type { AnyCommand, ArgumentDefinition, OptionDefinition } from './command.ts';
import type { Context } from './context.ts';

/** The input with each name and file replaced; outside of a workspace, and for what looks like an id, as it was. */
export async function resolveVals(
  { arguments: argumentDefinitions = {}, options = {} }: AnyCommand,
  input: Record<string, unknown>,
  { settings, rememberWord }: Pick<Context, 'settings' | 'rememberWord'>,
): Promise<Record<string, unknown>> {
  const definitions: Record<string, ArgumentDefinition<unknown> | OptionDefinition<unknown>> = {
    ...argumentDefinitions,
    ...options,
  };
  const isName = (word: unknown) => typeof word === 'string' && !looksLikeId(word);
  const keys = Object.keys(definitions).filter((key) => {
    const definition = definitions[key];
    const mayBeFile = definition !== undefined && 'orFile' in definition && definition.orFile;
    return definition?.isVal && !(mayBeFile && isFile(resolvePath(settings.cwd, `${input[key]}`)));
  });
  if (!keys.some((key) => [input[key]].flat().some(isName))) return input;
  const root = findRoot(settings);
  if (root === undefined) return input;
  const { createResolver } = await import('../workspace/resolve.ts');
  const resolve = createResolver(root, settings);
  const idOf = (word: unknown) => {
    if (!isName(word)) return word;
    const id = resolve(word as string);
    rememberWord(word as string, id);
    return id;
  };
  return {
    ...input,
    ...Object.fromEntries(
      keys.map((key) => [key, Array.isArray(input[key]) ? input[key].map(idOf) : idOf(input[key])]),
    ),
  };
}
