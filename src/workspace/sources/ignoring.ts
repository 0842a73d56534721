import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { LocalError } from '../../errors.ts';
import { NotReached } from '../../lib/held-folder.ts';
import { foldersAbove, withSlashes } from '../../lib/paths.ts';
import { largest, TooLarge, UnusableFile } from '../../lib/plain-file.ts';
import { readBytesBelow } from '../disk/files.ts';
import { projectMarks } from '../disk/root.ts';
import { countRules, createMatcher, type Matcher } from './ignore-rules.ts';

export interface Rules {
  folder: string;
  fileName: string;
  matcher: Matcher;
}

export interface IgnoreFiles {
  rulesIn(root: string, folder: string): Rules[];
  rulesAbove(root: string): Rules[];
}

const fileNames = ['.gitignore', '.valsignore'];

export const isIgnoreFile = (path: string): boolean => fileNames.includes(basename(path));

export function createIgnoreFiles(warn: (message: string) => void): IgnoreFiles {
  const known = new Map<string, { text: string; ruleCount: number; matcher: Matcher }>();
  const refused = new Set<string>();
  let characters = 0;
  let rules = 0;

  function matcherOf(root: string, file: string): Matcher | undefined {
    const path = join(root, file);
    const text = textOf(root, file, path);
    if (text === undefined) return undefined;
    const before = known.get(path);
    if (before?.text === text) return before.matcher;
    refuseLongRules(text, path);
    const charactersNow = characters + text.length - (before?.text.length ?? 0);
    const ruleCount = countRules(text);
    const rulesNow = rules + ruleCount - (before?.ruleCount ?? 0);
    if (charactersNow > mostCharacters || rulesNow > mostRules) throw tooManyRules(path);
    characters = charactersNow;
    rules = rulesNow;
    const matcher = createMatcher(text);
    known.set(path, { text, ruleCount, matcher });
    return matcher;
  }

  function textOf(root: string, file: string, path: string): string | undefined {
    try {
      return readBytesBelow(root, file, largest.ignoreFile)?.toString();
    } catch (error) {
      const cause = error instanceof LocalError ? error.cause : undefined;
      if (cause instanceof NotReached) return undefined;
      if (cause instanceof TooLarge) {
        throw unknownRules(path, cause.problem, 'Make the ignore file smaller.');
      }
      if (!(cause instanceof UnusableFile)) throw error;
      if (!refused.has(path))
        warn(`${path} was not read because it ${cause.problem}. Its rules do not apply.`);
      refused.add(path);
      return undefined;
    }
  }

  const rulesIn = (root: string, folder: string): Rules[] =>
    fileNames.flatMap((fileName) => {
      const matcher = matcherOf(root, folder === '' ? fileName : `${folder}/${fileName}`);
      return matcher === undefined ? [] : { folder: join(root, folder), fileName, matcher };
    });

  return {
    rulesIn,
    rulesAbove: (root) => foldersWithRules(root).flatMap((folder) => rulesIn(folder, '')),
  };
}

/** The library `ignore` turns rules into regular expressions. A longer rule could take minutes or fail. */
const longestRule = 1_000;

function refuseLongRules(text: string, path: string): void {
  const isLong = (line: string) => line.length > longestRule && !line.startsWith('#');
  const index = text.split('\n').findIndex(isLong);
  if (index === -1) return;
  const problem = `has a rule of more than ${longestRule} characters in line ${index + 1}`;
  throw unknownRules(path, problem, 'Shorten or remove that rule.');
}

/**
 * Limits the total of all ignore files, because the rules of a hostile repository could fill the memory. Each file is
 * tested against each rule, so many rules could also take hours.
 */
const mostCharacters = largest.ignoreFile;
const mostRules = 10_000;

const tooManyRules = (path: string): LocalError =>
  unknownRules(
    path,
    'was not read, because all ignore files together are larger than 1 MB or have more than 10,000 rules',
    'Make the ignore files smaller.',
  );

const unknownRules = (path: string, problem: string, hint: string): LocalError =>
  new LocalError(`${path} ${problem}, so the files that it ignores are unknown.`, { hint });

function foldersWithRules(root: string): string[] {
  const folders = [root, ...foldersAbove(root)];
  const top = projectMarks
    .map((name) => folders.findIndex((folder) => existsSync(join(folder, name))))
    .find((index) => index !== -1);
  return folders.slice(1, (top ?? 0) + 1).reverse();
}

/**
 * A `!` rule in .valsignore does not cancel a rule in .gitignore. Otherwise a cloned repository could make a push
 * send secrets that git ignores.
 */
export function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  const ignoredBy = new Set<string>();
  for (const { folder, fileName, matcher } of rules) {
    const below = withSlashes(relative(folder, path));
    const verdict = matcher.test(isFolder ? `${below}/` : below);
    if (verdict.ignored) ignoredBy.add(fileName);
    else if (verdict.unignored) ignoredBy.delete(fileName);
  }
  return ignoredBy.size > 0;
}

export function createIgnoreCheck(root: string, ignoreFiles: IgnoreFiles): (file: string) => boolean {
  const rulesOf = rulesByFolder(root, ignoreFiles);
  return (file) => {
    const parts = file.split('/');
    return parts.some((_, index) => {
      const path = join(root, ...parts.slice(0, index + 1));
      return isIgnored(path, index < parts.length - 1, rulesOf(parts.slice(0, index).join('/')));
    });
  };
}

export function rulesByFolder(
  root: string,
  { rulesIn, rulesAbove }: IgnoreFiles,
): (folder: string) => readonly Rules[] {
  const known = new Map<string, readonly Rules[]>([['', [...rulesAbove(root), ...rulesIn(root, '')]]]);
  const rulesOf = (folder: string): readonly Rules[] => {
    const rules = known.get(folder) ?? [...rulesOf(folderOf(folder)), ...rulesIn(root, folder)];
    known.set(folder, rules);
    return rules;
  };
  return rulesOf;
}

export const folderOf = (below: string): string => below.slice(0, Math.max(0, below.lastIndexOf('/')));
