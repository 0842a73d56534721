import { resolve } from 'node:path';
import { readManifest } from '../../../workspace/manifest.ts';
import { findRoot } from '../../files/root.ts';
import { nameFrom } from '../../files/val-names.ts';
import { walkFolder } from '../../files/walk.ts';
import { createSeenVals } from '../../find-val/seen-vals.ts';
import { textAt } from '../../http/record-fields.ts';
import { readableNames } from '../../lib/paths.ts';
import type { Settings } from '../../settings/settings.ts';
import { type CommandTree, loadTree } from '../command-tree.ts';
import type { Host, Invocation } from '../invocation.ts';
import { parseCommandLine } from '../parse-command-line.ts';
import type { Offer } from '../value-types.ts';
import { type Candidate, type Completions, completions } from './completions.ts';
import { recordsOf, silentInvocation } from './records.ts';
import { filesLine } from './scripts.ts';

export async function completionReply(
  [shell, ...typed]: readonly string[],
  tree: CommandTree,
  host: Host,
): Promise<string> {
  const words = shell === 'bash' ? withBreaksJoined(typed) : typed;
  const wordsBefore = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const found = completions(await loadTree(tree), wordsBefore, current);
  const { before, offers } = found;
  const unfinished = current.slice(before.length);
  const candidates = [...found.candidates];
  if (offers.length > 0) {
    const { flags } = await parseCommandLine(wordsBefore, tree, 80);
    const invocation = silentInvocation(host, tree, flags);
    for (const offer of offers) candidates.push(...(await offered(offer, found, unfinished, invocation)));
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

async function offered(
  offer: Offer,
  { offers, val }: Completions,
  unfinished: string,
  invocation: Invocation,
): Promise<Candidate[]> {
  const { settings } = invocation;
  const fits = ({ word }: Candidate) => word.startsWith(unfinished) && safeInShell.test(word);
  switch (offer) {
    case 'vals':
      return (await namesOfVals(settings)).map(plain).filter(fits);
    case 'files':
      // Without other candidates, the shell completes files by itself.
      return offers.includes('vals') ? codeFiles(settings.cwd, unfinished).map(plain).filter(fits) : [];
    case 'versions': {
      const versions = val === undefined ? [] : await recordsOf('version ls', { val }, invocation);
      return versions
        .map((version) => candidate(textAt(version, 'version'), textAt(version, 'createdAt')))
        .filter(fits);
    }
    case 'runs': {
      const runs = await recordsOf('runs', { limit: 20 }, invocation);
      return runs
        .map((run) => candidate(textAt(run, 'id')?.slice(0, 8), textAt(run, 'val.name')))
        .filter(fits);
    }
  }
}

const candidate = (word = '', description = ''): Candidate => ({ word, description });
const plain = (word: string): Candidate => candidate(word);

/** The files that `vals run` could run, beside the vals. */
function codeFiles(cwd: string, unfinished: string): string[] {
  const folder = unfinished.slice(0, unfinished.lastIndexOf('/') + 1);
  const names = readableNames(resolve(cwd, folder)).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  return names.map((name) => folder + name);
}

/** The vals of the workspace and those that this machine has seen. */
async function namesOfVals(settings: Settings): Promise<string[]> {
  const ofFiles = await namesInWorkspace(settings).catch(() => []);
  const { mine } = await createSeenVals(settings)
    .recall()
    .catch(() => ({ mine: [] }));
  return [...new Set([...ofFiles, ...mine.map(({ name }) => name)])];
}

async function namesInWorkspace({ cwd }: Settings): Promise<string[]> {
  const root = findRoot(cwd);
  if (root === undefined) return [];
  const { names } = readManifest(root);
  const files = await walkFolder(root, { pathOf: (below) => below });
  return files.flatMap((file) => names.get(file) ?? nameFrom(file) ?? []);
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
