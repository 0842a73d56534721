import { basename, dirname, join, relative, resolve } from 'node:path';
import { readableNames } from '../../lib/paths.ts';
import { createSeenVals } from '../../names/seen-vals.ts';
import { readConfig } from '../../settings/config-file.ts';
import type { Flags, Settings } from '../../settings/settings.ts';
import type { Presenter } from '../../terminal/presenter.ts';
import { createRedactor } from '../../terminal/redactor.ts';
import { findRoot } from '../../workspace/disk/root.ts';
import { readManifest } from '../../workspace/manifest.ts';
import { nameFrom } from '../../workspace/sources/val-names.ts';
import { walkFolder } from '../../workspace/sources/walk.ts';
import { checkOptions } from '../check-input.ts';
import { type CommandTree, loadTree } from '../command-tree.ts';
import { globalOptions } from '../global-options.ts';
import type { Host } from '../host.ts';
import { createInvocation, type Invocation } from '../invocation.ts';
import { createServices } from '../services.ts';
import { type Candidate, type Completions, completions } from './completions.ts';
import { filesLine } from './scripts.ts';

export async function completionReply(
  [shell, ...typed]: readonly string[],
  tree: CommandTree,
  host: Host,
): Promise<string> {
  const words = shell === 'bash' ? withBreaksJoined(typed) : typed;
  const current = words.at(-1) ?? '';
  const found = completions(await loadTree(tree), words.slice(0, -1), current);
  const { before } = found;
  const invocation = silentInvocation(host, tree, flagsOf(found.flags));
  const { settings } = invocation;
  const unfinished = current.slice(before.length);
  const offers = new Set(found.offers);
  if (offers.has('vals') && offers.has('files') && fitsFile(unfinished, settings.cwd))
    return `${filesLine}\n`;
  const names = [
    ...(offers.has('vals') ? await valsThatFit(unfinished, settings) : []),
    ...(offers.has('services') ? servicesThatFit(unfinished, settings) : []),
    ...(offers.has('vals') && offers.has('files') ? codeFilesIn(settings.cwd, unfinished) : []),
  ];
  const candidates = [
    ...found.candidates,
    ...(await fromService(found, unfinished, invocation)),
    ...[...new Set(names)].map((word) => ({ word, description: '' })),
  ];
  if (candidates.length === 0) return offers.has('files') ? `${filesLine}\n` : '';
  const line = ({ word, description }: Candidate) => {
    if (shell === 'bash') return `${word.slice(lengthBeforeLastBreak(typed, unfinished))}\n`;
    // Escapes each colon for zsh, because zsh takes the text after a colon as the description.
    const escaped = shell === 'zsh' ? word.replaceAll(':', '\\:') : word;
    return `${before}${escaped}\t${description}\n`;
  };
  return candidates.map(line).join('');
}

const silent: Presenter = {
  forPerson: false,
  say() {},
  async flush() {},
  async result() {},
  async end() {},
};

const silentInvocation = (host: Host, tree: CommandTree, flags: Flags): Invocation =>
  createInvocation({
    ...host,
    tree,
    flags,
    presenter: silent,
    writeHints: async () => '',
    redactor: createRedactor(),
    typedWords: new Map(),
    services: createServices(),
  });

/** An option with a wrong value, on a command line that is not finished, counts as none. */
function flagsOf(typed: Completions['flags']): Flags {
  try {
    return checkOptions(globalOptions, typed, { nameOf: (key) => key, hint: '' });
  } catch {
    return {};
  }
}

async function fromService(
  { offers, val }: Completions,
  unfinished: string,
  invocation: Invocation,
): Promise<Candidate[]> {
  const asksForVersions = offers.includes('versions') && val !== undefined;
  if (!asksForVersions && !offers.includes('runs')) return [];
  const { recentRuns, versionsOf } = await import('./from-service.ts');
  const candidates = asksForVersions ? await versionsOf(val, invocation) : await recentRuns(invocation);
  return candidates.filter(({ word }) => word.startsWith(unfinished) && safeInShell.test(word));
}

/** The files that `vals run` could run, beside the vals. */
function codeFilesIn(cwd: string, unfinished: string): string[] {
  if (unfinished !== '') return [];
  return readableNames(cwd).filter((name) => isCode(name) && safeInShell.test(name));
}

const isCode = (name: string): boolean => /\.[cm]?[jt]sx?$/.test(name);

/** `vals run` takes a file before a val of the same name, so completion does too. */
function fitsFile(unfinished: string, cwd: string): boolean {
  if (unfinished === '') return false;
  const isFolder = unfinished.endsWith('/');
  const beginning = isFolder ? '' : basename(unfinished);
  const names = readableNames(resolve(cwd, isFolder ? unfinished : dirname(unfinished)));
  return names.some((name) => name.startsWith(beginning) && isCode(name));
}

/** Bash replaces only the text after the last `=` or `:`. So a candidate must begin after that character. */
function lengthBeforeLastBreak(typed: readonly string[], unfinished: string): number {
  const last = typed.at(-1) ?? '';
  return Math.max(0, unfinished.length - (isBreak(last) ? 0 : last.length));
}

function servicesThatFit(unfinished: string, { configFile, system }: Settings): string[] {
  try {
    const { baseUrl, tokens } = readConfig(configFile, system, () => {});
    const all = new Set([...Object.keys(tokens), ...(baseUrl === undefined ? [] : [baseUrl])]);
    return [...all].filter((service) => service.startsWith(unfinished));
  } catch {
    return [];
  }
}

/** Bash splits `--option=word` into three words. This function joins them again. */
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

/** Names that do not match are not completed, because a shell could interpret characters such as $. */
const safeInShell = /^[\w.][\w./-]*$/;

async function valsThatFit(unfinished: string, settings: Settings): Promise<string[]> {
  const matching = (words: readonly string[]) =>
    words.filter((word) => word.startsWith(unfinished) && safeInShell.test(word));
  const vals = await workspaceVals(settings);
  const names = new Set([...vals.map(({ name }) => name), ...(await seenNames(settings))]);
  const fitting = matching([...names]);
  if (fitting.length > 0) return fitting;
  const prefix = unfinished.startsWith('./') ? './' : '';
  return matching(vals.map(({ file }) => prefix + file));
}

async function seenNames(settings: Settings): Promise<string[]> {
  try {
    const { mine } = await createSeenVals(settings).recall();
    return mine.map(({ name }) => name);
  } catch {
    return [];
  }
}

async function workspaceVals(settings: Settings): Promise<{ name: string; file: string }[]> {
  try {
    const root = findRoot(settings.cwd);
    if (root === undefined) return [];
    const manifest = readManifest(root);
    const files = await walkFolder(root, { pathOf: (below) => below });
    return files.flatMap((file) => {
      const name = manifest.names.get(file) ?? nameFrom(file);
      return name === undefined ? [] : [{ name, file: relative(settings.cwd, join(root, file)) }];
    });
  } catch {
    return [];
  }
}
