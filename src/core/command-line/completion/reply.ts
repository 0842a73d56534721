import { resolve } from 'node:path';
import { createSeenVals } from '../../find-val/seen-vals.ts';
import { readableNames } from '../../lib/paths.ts';
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
  const { candidates, offers } = await completions(tree, wordsBefore, unfinished);
  const { flags } = await parseCommandLine(wordsBefore, tree, 80);
  const settings = createSettings(flags, host, () => {});
  const found = [
    ...(offers.includes('vals') ? namesOfVals(settings) : []),
    // Without other words, the shell completes files by itself.
    ...(offers.includes('vals') && offers.includes('files') ? codeFiles(settings.cwd, unfinished) : []),
  ].filter((word) => word.startsWith(unfinished) && safeInShell.test(word));
  const all = [...candidates, ...found.map((word) => ({ word, description: '' }))];
  return all.map(({ word, description }) => `${word}\t${description}\n`).join('');
}

/** Names that do not match are not completed, because a shell could interpret characters such as $. */
const safeInShell = /^[\w.][\w./-]*$/;

/** The files that `vals run` could run, beside the vals. */
function codeFiles(cwd: string, unfinished: string): string[] {
  const folder = unfinished.slice(0, unfinished.lastIndexOf('/') + 1);
  const names = readableNames(resolve(cwd, folder)).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  return names.map((name) => folder + name);
}

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
