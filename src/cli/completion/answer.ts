// Runs the hidden command `vals __complete <shell> <words...>`, with which the completion scripts of the shells get
// completions.
import { readConfig } from '../../settings/config-file.ts';
import { createSettings, type Settings } from '../../settings/settings.ts';
import { type CommandTree, loadTree } from '../command-tree.ts';
import type { Host } from '../host.ts';
import { type Candidate, completions } from './completions.ts';
import { filesLine, wordMark } from './scripts.ts';
import { valsThatFit } from './val-names.ts';

/**
 * Returns one candidate per line. For shells other than bash, a tab and a description follow each candidate. The last
 * of the typed words is the unfinished word.
 */
export async function completionAnswer(
  [shell, ...typed]: readonly string[],
  tree: CommandTree,
  host: Host,
): Promise<string> {
  const words = wordsFrom(shell, typed);
  const current = words.at(-1) ?? '';
  const found = completions(await loadTree(tree), words.slice(0, -1), current);
  const { before } = found;
  const settings = createSettings({}, host, () => {});
  const unfinished = current.slice(before.length);
  const names = [
    ...(found.vals ? await valsThatFit(unfinished, settings) : []),
    ...(found.services ? servicesThatFit(unfinished, settings) : []),
  ];
  const candidates = [...found.candidates, ...names.map((word) => ({ word, description: '' }))];
  if (candidates.length === 0) return found.files ? `${filesLine}\n` : '';
  const line = ({ word, description }: Candidate) => {
    if (shell === 'bash') return `${word.slice(lengthBeforeLastBreak(typed, unfinished))}\n`;
    // zsh takes the text after a colon as the description, so colons in the word are escaped.
    const escaped = shell === 'zsh' ? word.replaceAll(':', '\\:') : word;
    return `${before}${escaped}\t${description}\n`;
  };
  return candidates.map(line).join('');
}

/**
 * Bash replaces only the part of the unfinished word after the last `=` or `:`. So each candidate omits the part up to
 * that character. This function returns the length of the omitted part.
 */
function lengthBeforeLastBreak(typed: readonly string[], unfinished: string): number {
  const last = typed.at(-1) ?? '';
  return Math.max(0, unfinished.length - (isBreak(last) ? 0 : last.length));
}

/** Returns an empty list if the config file cannot be read, because completion cannot show errors. */
function servicesThatFit(unfinished: string, { configFile, system }: Settings): string[] {
  try {
    const { baseUrl, tokens } = readConfig(configFile, system, () => {});
    const all = new Set([...Object.keys(tokens), ...(baseUrl === undefined ? [] : [baseUrl])]);
    return [...all].filter((service) => service.startsWith(unfinished));
  } catch {
    return [];
  }
}

function wordsFrom(shell: string | undefined, typed: readonly string[]): readonly string[] {
  if (shell === 'bash') return withBreaksJoined(typed);
  if (shell !== 'powershell') return typed;
  return [...typed.slice(0, -1), (typed.at(-1) ?? '').replace(wordMark, '')];
}

/** Bash splits `--option=word` and `10:30` into three words each. This function joins the three words again. */
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
