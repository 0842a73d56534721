// Answers the hidden command with which shells ask for completions: `vals __complete <shell> <words...>`.
import { readConfig } from '../../settings/config-file.ts';
import { createSettings, type Settings } from '../../settings/settings.ts';
import { type CommandTree, loadTree } from '../command-tree.ts';
import type { Host } from '../host.ts';
import { type Candidate, completions } from './completions.ts';
import { filesLine, wordMark } from './scripts.ts';
import { valsThatFit } from './val-names.ts';

/** One candidate per line; for shells that show descriptions, a tab and the description. The last word is unfinished. */
export async function completionAnswer(
  [shell, ...typed]: readonly string[],
  tree: CommandTree,
  host: Host,
): Promise<string> {
  const words = wordsFrom(shell, typed);
  const current = words.at(-1) ?? '';
  const next = completions(await loadTree(tree), words.slice(0, -1), current);
  const settings = createSettings({}, host, () => {});
  const names = next.vals ? await valsThatFit(current.slice(next.before.length), settings) : [];
  const services = next.services ? servicesThatFit(current.slice(next.before.length), settings) : [];
  const candidates = [
    ...next.candidates,
    ...[...names, ...services].map((word) => ({ word, description: '' })),
  ];
  if (candidates.length === 0) return next.files ? `${filesLine}\n` : '';
  const line = ({ word, description }: Candidate) => {
    if (shell === 'bash') return `${word.slice(beforeLastBreak(typed, current, next.before))}\n`;
    // zsh takes a colon for the beginning of the description.
    const shown = shell === 'zsh' ? word.replaceAll(':', '\\:') : word;
    return `${next.before}${shown}\t${description}\n`;
  };
  return candidates.map(line).join('');
}

/** Bash replaces only the part of a word behind its last break. */
function beforeLastBreak(typed: readonly string[], current: string, before: string): number {
  const last = typed.at(-1) ?? '';
  return Math.max(0, current.length - before.length - (isBreak(last) ? 0 : last.length));
}

/** The services that this machine is signed in to. */
function servicesThatFit(typed: string, { configFile, system }: Settings): string[] {
  try {
    const { baseUrl, tokens } = readConfig(configFile, system, () => {});
    const all = new Set([...Object.keys(tokens), ...(baseUrl === undefined ? [] : [baseUrl])]);
    return [...all].filter((service) => service.startsWith(typed));
  } catch {
    // There is no config, or it is broken: completion cannot show errors.
    return [];
  }
}

function wordsFrom(shell: string | undefined, typed: readonly string[]): readonly string[] {
  if (shell === 'bash') return withBreaksJoined(typed);
  if (shell !== 'powershell') return typed;
  return [...typed.slice(0, -1), (typed.at(-1) ?? '').replace(wordMark, '')];
}

/** Bash splits `--option=word` and `10:30` into three words each, and completes the last one. */
function withBreaksJoined(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const word of words) {
    if (joined.length > 0 && (isOpen || isBreak(word))) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
    isOpen = isBreak(word);
  }
  return joined;
}

const isBreak = (word: string): boolean => /^[=:]+$/.test(word);
