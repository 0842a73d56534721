import { basename, dirname } from 'node:path';
import { fileOfName } from './adopt.ts';
import { pathProblem } from './disk/file-names.ts';
import { existsBelow, readBelow } from './disk/files.ts';
import { updateManifest, type WorkspaceContext } from './disk/manifest-file.ts';
import { replaceBelow } from './disk/write-files.ts';
import { createIgnoreCheck, createIgnoreFiles } from './sources/ignoring.ts';
import { nameFrom } from './sources/val-names.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

const ignoreFile = '.valsignore';

export async function forgetVals(
  workspace: Workspace,
  context: WorkspaceContext,
  forgotten: readonly WorkspaceVal[],
): Promise<void> {
  const { root } = workspace;
  const files = forgotten.map(({ file }) => file);
  const patterns = forgotten.flatMap((val) => [val.file, ...fileOfPull(workspace, val)]).map(exactPattern);
  // `addToIgnoreFile` must run first. Otherwise, after a crash, a push would send the files as new vals.
  addToIgnoreFile(root, ignoreFile, patterns);
  // A .valsignore in a folder below may have an exception. A rule in the folder of the file comes last.
  const isIgnored = createIgnoreCheck(root, createIgnoreFiles());
  for (const file of files) {
    if (isIgnored(file) || !existsBelow(root, file)) continue;
    addToIgnoreFile(root, `${dirname(file)}/${ignoreFile}`, [exactPattern(basename(file))]);
  }
  await updateManifest(root, context, ({ vals }) => {
    for (const file of files) vals.delete(file);
  });
  for (const file of files) workspace.forgetRecord(file);
}

/** Says whether .valsignore lists the file, or another file whose val had this name. */
export function createForgottenCheck(root: string): (val: { file: string; name: string }) => boolean {
  const isListed = createIgnoreCheck(root, createIgnoreFiles(), ({ fileName }) => fileName === ignoreFile);
  const lines = readBelow(root, ignoreFile)?.split(/\r?\n/) ?? [];
  const files = lines.filter((line) => line.startsWith('/')).map((line) => line.replace(/\\(.)/g, '$1'));
  const names = new Set(files.filter((file) => lines.includes(exactPattern(file.slice(1)))).map(nameFrom));
  return ({ file, name }) => isListed(file) || names.has(name);
}

/** If the file has another name than the val, `vals pull --all` would write the val into a new file. */
function fileOfPull({ root, vals }: Workspace, { file, name }: WorkspaceVal): string[] {
  const pulled = fileOfName(name);
  const isTaken = vals.ofFile(pulled) !== undefined || existsBelow(root, pulled);
  return nameFrom(file) === name || isTaken || pathProblem(pulled) !== undefined ? [] : [pulled];
}

function addToIgnoreFile(root: string, file: string, patterns: readonly string[]): void {
  const text = readBelow(root, file);
  const lines = text?.split(/\r?\n/) ?? [];
  // A rule counts only if no exception (`!name`) follows.
  const lastException = lines.findLastIndex((line) => line.startsWith('!'));
  const lastRules = new Set(lines.slice(lastException + 1));
  const missing = patterns.filter((pattern) => !lastRules.has(pattern));
  if (missing.length === 0) return;
  const before = text ?? '';
  const lineEnd = before === '' || before.endsWith('\n') ? '' : '\n';
  replaceBelow(root, file, `${before}${lineEnd}${missing.join('\n')}\n`, text);
}

const exactPattern = (file: string): string => `/${file.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
