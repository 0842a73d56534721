// The hidden command with which a shell asks what may come next: `vals __complete <shell> <words...>`.
import { createSettings } from '../../settings/settings.ts';
import { type CommandTree, loadTree } from '../command-tree.ts';
import type { Host } from '../host.ts';
import { type Candidate, completions } from './completions.ts';
import { valsThatFit } from './val-names.ts';

export const completionRequest = '__complete';

/** Tells the shell to complete file names by itself, which it does best. */
export const filesLine = ':files';

/** One candidate a line, with a tab and its description for the shells that show one. The last word is being typed. */
export async function completionAnswer(
  [shell, ...typed]: readonly string[],
  tree: CommandTree,
  host: Host,
): Promise<string> {
  const words = shell === 'bash' ? withBreaksJoined(typed) : typed;
  const current = words.at(-1) ?? '';
  const next = completions(await loadTree(tree), words.slice(0, -1), current);
  const settings = createSettings({}, host, () => {});
  const names = next.vals ? await valsThatFit(current.slice(next.before.length), settings) : [];
  const candidates = [...next.candidates, ...names.map((word) => ({ word, description: '' }))];
  if (candidates.length === 0) return next.files ? `${filesLine}\n` : '';
  const line = ({ word, description }: Candidate) =>
    shell === 'bash' ? `${word}\n` : `${next.before}${word}\t${description}\n`;
  return candidates.map(line).join('');
}

/** Bash takes `--option=word` for three words, and `10:30` too; what it completes is the last of them. */
function withBreaksJoined(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const word of words) {
    const isBreak = /^[=:]+$/.test(word);
    if (joined.length > 0 && (isOpen || isBreak)) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
    isOpen = isBreak;
  }
  return joined;
}
