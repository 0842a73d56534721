import { resolve } from 'node:path';
import { createSeenVals } from '../../find-val/seen-vals.ts';
import { readableNames } from '../../lib/paths.ts';
import { createSettings, type Settings } from '../../settings/settings.ts';
import type { CommandTree, Host } from '../command.ts';
import { parseCommandLine } from '../parse-command-line.ts';
import type { Offer } from '../value-types.ts';
import { type Candidate, completions } from './completions.ts';
import { filesLine } from './scripts.ts';

export async function completionReply(
  [shell, ...typed]: readonly string[],
  tree: CommandTree,
  host: Host,
): Promise<string> {
  const words = shell === 'bash' ? withBreaksJoined(typed) : typed;
  const wordsBefore = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const found = await completions(tree, wordsBefore, current);
  const { before, offers } = found;
  const unfinished = current.slice(before.length);
  const candidates = [...found.candidates];
  if (offers.length > 0) {
    const { flags } = await parseCommandLine(wordsBefore, tree, 80);
    const settings = createSettings(flags, host, () => {});
    for (const offer of offers) candidates.push(...(await offered(offer, { offers, unfinished, settings })));
  }
  // A val can be given as a file, too.
  const takesFiles = offers.includes('files') || offers.includes('vals');
  if (candidates.length === 0) return takesFiles ? `${filesLine}\n` : '';
  // Bash replaces only the text after the last `=`.
  const line = ({ word, description }: Candidate) =>
    shell === 'bash' ? `${word}\n` : `${before}${word}\t${description}\n`;
  return candidates.map(line).join('');
}

/** Names that do not match are not completed, because a shell could interpret characters such as $. */
const safeInShell = /^[\w.][\w./-]*$/;

interface Wanted {
  offers: readonly Offer[];
  unfinished: string;
  settings: Settings;
}

async function offered(offer: Offer, { offers, unfinished, settings }: Wanted): Promise<Candidate[]> {
  // Without other candidates, the shell completes files by itself.
  const files = offers.includes('vals') ? codeFiles(settings.cwd, unfinished) : [];
  const words = offer === 'vals' ? namesOfVals(settings) : files;
  return words
    .filter((word) => word.startsWith(unfinished) && safeInShell.test(word))
    .map((word) => ({ word, description: '' }));
}

/** The files that `vals run` could run, beside the vals. */
function codeFiles(cwd: string, unfinished: string): string[] {
  const folder = unfinished.slice(0, unfinished.lastIndexOf('/') + 1);
  const names = readableNames(resolve(cwd, folder)).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  return names.map((name) => folder + name);
}

/** The vals that this machine has seen. */
function namesOfVals(settings: Settings): string[] {
  try {
    return [
      ...new Set(
        createSeenVals(settings)
          .recall()
          .mine.map(({ name }) => name),
      ),
    ];
  } catch {
    // A setting is wrong.
    return [];
  }
}

/** Bash splits `--option=word` and `10:30` into three words. This function joins them again. */
function withBreaksJoined(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isAfterBreak = false;
  for (const word of words) {
    if (joined.length > 0 && (isAfterBreak || isBreak(word))) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
    isAfterBreak = isBreak(word);
  }
  return joined;
}

const isBreak = (word: string): boolean => /^[=:]+$/.test(word);
