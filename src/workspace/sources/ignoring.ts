import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { LocalError } from '../../errors.ts';
import { foldersAbove, withSlashes } from '../../lib/paths.ts';
import { TooLarge, UnusableFile } from '../../lib/plain-file.ts';
import { readBytesBelow } from '../disk/files.ts';
import { gitFolderOf, textIn } from '../disk/git-folder.ts';
import { projectMarks } from '../disk/root.ts';
import { userExcludesFile } from './user-excludes.ts';

export interface Rules {
  folder: string;
  fileName: string;
  matcher: Ignore;
}

export interface IgnoreFiles {
  rulesIn(root: string, folder: string): Rules[];
  rulesAbove(root: string): Rules[];
}

const fileNames = ['.gitignore', '.valsignore'];

export const isIgnoreFile = (path: string): boolean => fileNames.includes(basename(path));

export function createIgnoreFiles(
  warn: (message: string) => void = () => {},
  env: NodeJS.ProcessEnv = process.env,
): IgnoreFiles {
  const refused = new Set<string>();
  const userFiles = new Map<string, string | undefined>();

  function matcherOf(root: string, file: string): Ignore | undefined {
    const path = join(root, file);
    const text = textOf(root, file, path);
    return text === undefined ? undefined : matcherWith(text);
  }

  /** An ignore file that is a link is not read. */
  function textOf(root: string, file: string, path: string): string | undefined {
    try {
      return readBytesBelow(root, file)?.toString();
    } catch (error) {
      const cause = error instanceof LocalError ? error.cause : undefined;
      if (!(cause instanceof UnusableFile) || cause instanceof TooLarge) throw error;
      if (!refused.has(path))
        warn(`${path} was not read because it ${cause.problem}. Its rules do not apply.`);
      refused.add(path);
      return undefined;
    }
  }

  const rulesIn = (root: string, folder: string): Rules[] => {
    const named = fileNames.flatMap((fileName) => {
      const matcher = matcherOf(root, folder === '' ? fileName : `${folder}/${fileName}`);
      return matcher === undefined ? [] : { folder: join(root, folder), fileName, matcher };
    });
    return folder === '' ? [...rulesOfRepository(root), ...named] : named;
  };

  /** As in git, a `!` rule in .gitignore cancels a rule of these files, and one in the second a rule of the first. */
  function rulesOfRepository(root: string): Rules[] {
    const folder = gitFolderOf(root);
    if (folder === undefined) return [];
    const matchers = [matcherOfUser(root), matcherOf(folder.common, 'info/exclude')];
    return matchers.flatMap((matcher) =>
      matcher === undefined ? [] : { folder: root, fileName: '.gitignore', matcher },
    );
  }

  /** This file is no part of the repository, so it may be a link. */
  function matcherOfUser(root: string): Ignore | undefined {
    if (!userFiles.has(root)) userFiles.set(root, userExcludesFile(root, env));
    const path = userFiles.get(root);
    return path === undefined ? undefined : matcherWith(textIn(path));
  }

  return {
    rulesIn,
    rulesAbove: (root) => foldersWithRules(root).flatMap((folder) => rulesIn(folder, '')),
  };
}

const matcherWith = (text: string): Ignore => ignore({ ignorecase: false }).add(text.replace(/^\ufeff/, ''));

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
      const rules = rulesOf(parts.slice(0, index).join('/'));
      return isIgnored(path, index < parts.length - 1, rules);
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
