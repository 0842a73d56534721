import { ConflictError } from '../errors.ts';
import { largest } from '../lib/plain-file.ts';
import type { WorkspaceContext } from './disk/dot-vals.ts';
import { readBelow } from './disk/files.ts';
import { updateManifest } from './disk/manifest-file.ts';
import { replaceBelow } from './disk/write-files.ts';

const ignoreFile = '.valsignore';

export async function forgetVals(
  root: string,
  context: WorkspaceContext,
  files: readonly string[],
): Promise<void> {
  // `addToIgnoreFile` must run first. Otherwise, after a crash, a push would send the files as new vals.
  addToIgnoreFile(root, files.map(exactPattern));
  await updateManifest(root, context, ({ vals }) => {
    for (const file of files) vals.delete(file);
  });
}

function addToIgnoreFile(root: string, patterns: readonly string[]): void {
  for (;;) {
    const text = readBelow(root, ignoreFile, largest.ignoreFile);
    const lines = new Set(text?.split(/\r?\n/));
    const missing = patterns.filter((pattern) => !lines.has(pattern));
    if (missing.length === 0) return;
    const before = text ?? '';
    const lineEnd = before === '' || before.endsWith('\n') ? '' : '\n';
    try {
      replaceBelow(root, ignoreFile, `${before}${lineEnd}${missing.join('\n')}\n`, { content: text });
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

const exactPattern = (file: string): string => `/${file.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
