import { basename, dirname } from 'node:path';
import { existsBelow, readBelow } from './disk/files.ts';
import { updateManifest, type WorkspaceContext } from './disk/manifest-file.ts';
import { replaceBelow } from './disk/write-files.ts';
import { createIgnoreCheck, createIgnoreFiles } from './sources/ignoring.ts';
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
  // `addToIgnoreFile` must run first. Otherwise, after a crash, a push would send the files as new vals.
  addToIgnoreFile(root, ignoreFile, files.map(exactPattern));
  // A .valsignore in a folder below may have an exception. A rule in the folder of the file comes last.
  const isIgnored = createIgnoreCheck(
    root,
    createIgnoreFiles(() => {}),
  );
  for (const file of files) {
    if (isIgnored(file) || !existsBelow(root, file)) continue;
    addToIgnoreFile(root, `${dirname(file)}/${ignoreFile}`, [exactPattern(basename(file))]);
  }
  await updateManifest(root, context, ({ vals }) => {
    for (const file of files) vals.delete(file);
  });
  for (const file of files) workspace.forgetRecord(file);
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
