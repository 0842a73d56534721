import type { Dirent } from 'node:fs';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import nativePath, { basename, extname, join, type PlatformPath, resolve } from 'node:path';
import { LocalError, UsageError } from '../errors.ts';
import { realPath, typedAsOnDisk, withSlashes } from '../lib/paths.ts';
import { type Say, warnWith } from '../output/out.ts';
import type { Settings } from '../settings/settings.ts';
import { fileError, listBelow, missingFile, readBelow } from './files.ts';
import { createIgnoreRules, type IsIgnored } from './ignoring.ts';
import { checkIsCode } from './read-text.ts';
import { isProject, projectMarks } from './root.ts';
import { type FileLimits, placeWithin, refuseLinkToSecret } from './within.ts';

const codeExtensions = new Set(['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs']);
const declaration = /\.d\.m?ts$/;
const testOrSetting = /\.(?:test|spec|config)\.[^.]+$/;

export interface FoundFile {
  file: string;
  /** Undefined if the user gave the path of the file itself. */
  inFolder?: FileInFolder;
}

interface FileInFolder {
  folder: string;
  below: string;
}

interface Collecting {
  settings: Pick<Settings, 'cwd' | 'system'>;
  host: { agent?: FileLimits | undefined };
  out: { say: Say };
}

export async function collectFiles(
  paths: readonly string[],
  { settings, host: { agent }, out: { say } }: Collecting,
): Promise<FoundFile[]> {
  const { cwd } = settings;
  const found: FoundFile[] = [];
  for (const typed of paths) {
    const path = typedAsOnDisk(typed, settings);
    const folder = resolve(cwd, path);
    if (path !== '-' && agent !== undefined) placeWithin(agent, folder, path);
    if (path !== '-' && (await isDirectory(folder))) {
      refuseLinkToSecret(folder, path, cwd);
      const realFolder = realPath(folder);
      const pathOf = (below: string) => withSlashes(join(path, below));
      const files = await walkFolder(realFolder, { warn: warnWith(say), pathOf });
      if (files.length === 0) throw noCodeFiles(path);
      for (const below of files) found.push({ file: pathOf(below), inFolder: { folder: realFolder, below } });
    } else {
      found.push({ file: withSlashes(path) });
    }
  }
  if (paths.length === 1) return found;
  return [...new Map(found.map((each) => [resolve(cwd, each.file), each])).values()];
}

export function readInFolder(file: string, { folder, below }: FileInFolder): string {
  const code = readBelow(folder, below, file);
  if (code === undefined) throw missingFile(file);
  return checkIsCode(file, code);
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

const noCodeFiles = (folder: string): UsageError =>
  new UsageError(`${folder} has no code files.`, {
    hint: `In a folder, only files that end with ${[...codeExtensions].join(' ')} are used, without tests and settings of tools. To use another file, give its path.`,
  });

interface WalkOptions {
  /** Names the files that are left out. */
  warn(message: string): void;
  /** The path of a file or folder as messages show it. */
  pathOf(below: string): string;
}

/** The files that a folder stands for. */
export const walkFolder = (root: string, options: WalkOptions): Promise<string[]> =>
  walk(root, '', { ...options, isIgnored: createIgnoreRules(root, options) });

export function createFolderFilter(
  root: string,
  isIgnored: IsIgnored,
  { relative, sep }: Pick<PlatformPath, 'relative' | 'sep'> = nativePath,
): (path: string) => boolean {
  return (path) => {
    const below = withSlashes(relative(root, path), sep);
    return (
      below !== '' && (isHidden(basename(path)) || isProject(path) || isIgnored(below, { isFolder: true }))
    );
  };
}

const isHidden = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

export const hasCodeExtension = (file: string): boolean => codeExtensions.has(extname(file));

export const isCode = (file: string): boolean => hasCodeExtension(file) && !declaration.test(file);

/** The files that a folder stands for. Tests and settings of tools are code, but no vals. */
export const isTakenFromFolder = (file: string): boolean =>
  isCode(file) && !isHidden(basename(file)) && !testOrSetting.test(basename(file));

interface Walk extends WalkOptions {
  isIgnored: IsIgnored;
}

async function walk(root: string, folder: string, options: Walk): Promise<string[]> {
  const entries = await entriesOf(root, folder, options);
  if (folder !== '' && entries.some(({ name }) => projectMarks.includes(name))) {
    // The path of the current folder is empty.
    options.warn(
      `${options.pathOf(folder) || '.'} was left out: it is a repository or a workspace of its own.`,
    );
    return [];
  }
  const files: string[] = [];
  for (const entry of entries) {
    const file = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (isHidden(entry.name) || options.isIgnored(file, { isFolder: true })) continue;
      for (const found of await walk(root, file, options)) files.push(found);
    } else if (isTakenFromFolder(file) && !options.isIgnored(file, { isFolder: false })) {
      if (entry.isFile()) {
        files.push(file);
        continue;
      }
      // A link is left out, because the link may lead to a secret outside of the folder.
      const reason = existsSync(join(root, file)) ? 'not a regular file' : 'a link that leads nowhere';
      options.warn(`${options.pathOf(file)} was not used, because it is ${reason}.`);
    }
  }
  return files;
}

async function entriesOf(root: string, folder: string, { pathOf }: Walk): Promise<Dirent[]> {
  try {
    const entries = await listBelow(root, folder);
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw error instanceof LocalError ? error : fileError(pathOf(folder) || '.', error);
  }
}
