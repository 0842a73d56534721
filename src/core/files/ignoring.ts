import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { LocalError } from '../errors.ts';
import { foldersAbove, withSlashes } from '../lib/paths.ts';
import { TooLarge, UnusableFile } from '../lib/plain-file.ts';
import { readBytesBelow } from './files.ts';
import { gitFolderOf, projectMarks } from './root.ts';

interface Rules {
  folder: string;
  fileName: string;
  matcher: Ignore;
}

interface RulesOptions {
  warn?: (message: string) => void;
  /** The path of a file as messages show it. */
  pathOf?: (below: string) => string;
}

/** `below` is relative to the root of the rules. None of the folders on the way is ignored. */
export type IsIgnored = (below: string, kind: { isFolder: boolean }) => boolean;

const fileNames = ['.gitignore', '.valsignore'];

export const isIgnoreFile = (path: string): boolean => fileNames.includes(basename(path));

/** Reads each ignore file once. After one has changed, create new rules. */
export function createIgnoreRules(
  root: string,
  { warn = () => {}, pathOf = (below) => below }: RulesOptions = {},
): IsIgnored {
  const known = new Map<string, readonly Rules[]>();

  function rulesFor(folder: string): readonly Rules[] {
    const rules = known.get(folder) ?? [...inheritedBy(folder), ...rulesIn(root, folder)];
    known.set(folder, rules);
    return rules;
  }

  const inheritedBy = (folder: string): readonly Rules[] =>
    folder === ''
      ? foldersWithRules(root).flatMap((above) => rulesIn(above, ''))
      : rulesFor(folderOf(folder));

  function rulesIn(top: string, folder: string): Rules[] {
    const named = fileNames.flatMap((fileName) => {
      const matcher = matcherOf(top, folder === '' ? fileName : `${folder}/${fileName}`);
      return matcher === undefined ? [] : { folder: join(top, folder), fileName, matcher };
    });
    return folder === '' ? [...rulesOfRepository(top), ...named] : named;
  }

  /** As in git, a `!` rule in .gitignore cancels a rule of this file. */
  function rulesOfRepository(top: string): Rules[] {
    const folder = gitFolderOf(top);
    if (folder === undefined) return [];
    const matcher = matcherOf(folder.common, 'info/exclude');
    return matcher === undefined ? [] : [{ folder: top, fileName: '.gitignore', matcher }];
  }

  /** An ignore file that is a link is not read. */
  function matcherOf(top: string, file: string): Ignore | undefined {
    try {
      const bytes = readBytesBelow(top, file);
      return bytes && matcherWith(bytes.toString());
    } catch (error) {
      const cause = error instanceof LocalError ? error.cause : undefined;
      if (!(cause instanceof UnusableFile) || cause instanceof TooLarge) throw error;
      const path = pathOf(withSlashes(relative(root, join(top, file))));
      warn(`${path} was not read because it ${cause.problem}. Its rules do not apply.`);
      return undefined;
    }
  }

  return (below, { isFolder }) => isIgnoredBy(rulesFor(folderOf(below)), join(root, below), isFolder);
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
function isIgnoredBy(rules: readonly Rules[], path: string, isFolder: boolean): boolean {
  const ignoredBy = new Set<string>();
  for (const { folder, fileName, matcher } of rules) {
    const below = withSlashes(relative(folder, path));
    const verdict = matcher.test(isFolder ? `${below}/` : below);
    if (verdict.ignored) ignoredBy.add(fileName);
    else if (verdict.unignored) ignoredBy.delete(fileName);
  }
  return ignoredBy.size > 0;
}

/** Also says whether one of the folders on the way to a file is ignored. */
export function createIgnoreCheck(root: string, options?: RulesOptions): (file: string) => boolean {
  const isIgnored = createIgnoreRules(root, options);
  return (file) => {
    const parts = file.split('/');
    return parts.some((_, index) =>
      isIgnored(parts.slice(0, index + 1).join('/'), { isFolder: index < parts.length - 1 }),
    );
  };
}

const folderOf = (below: string): string => below.slice(0, Math.max(0, below.lastIndexOf('/')));
