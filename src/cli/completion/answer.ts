// Answers the hidden command with which shells ask for completions: `vals __complete <shell> <words...>`.
import { createSettings } from '../../settings/settings.ts';
import { type CommandTree, loadTree } from '../command-tree.ts';
import type { Host } from '../host.ts';
import { type Candidate, completions } from './completions.ts';
import { filesLine } from './scripts.ts';
import { valsThatFit } from './val-names.ts';

/** One candidate per line; for shells that show descriptions, a tab and the description. The last word is unfinished. */
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

/** Bash splits `--option=word` and `10:30` into three words each, and completes the last one. */
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
