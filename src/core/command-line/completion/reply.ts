import { createSeenVals } from '../../find-val/seen-vals.ts';
import { createSettings, type Settings } from '../../settings/settings.ts';
import type { CommandTree, Host } from '../command.ts';
import { parseCommandLine } from '../parse-command-line.ts';
import { completions } from './completions.ts';

export async function completionReply(
  words: readonly string[],
  tree: CommandTree,
  host: Host,
): Promise<string> {
  const wordsBefore = words.slice(0, -1);
  const unfinished = words.at(-1) ?? '';
  const { candidates, offersVals } = await completions(tree, wordsBefore, unfinished);
  const { flags } = await parseCommandLine(wordsBefore, tree, 80);
  const names = offersVals ? namesOfVals(createSettings(flags, host, () => {})) : [];
  const found = names.filter((name) => name.startsWith(unfinished) && safeInShell.test(name));
  const all = [...candidates, ...found.map((word) => ({ word, description: '' }))];
  return all.map(({ word, description }) => `${word}\t${description}\n`).join('');
}

/** Names that do not match are not completed, because a shell could interpret characters such as $. */
const safeInShell = /^[\w.][\w./-]*$/;

/** The vals that this machine has seen. */
function namesOfVals(settings: Settings): string[] {
  try {
    const { mine, unowned } = createSeenVals(settings).recall();
    return [...new Set([...mine, ...unowned].map(({ name }) => name))];
  } catch {
    // A setting is wrong.
    return [];
  }
}
