import { basename, join, relative } from 'node:path';
import { NotFoundError, UsageError } from '../errors.ts';
import { isFile, withSlashes } from '../lib/paths.ts';
import { quoteWord } from '../lib/shell-command.ts';
import { asQuestion, asSuggestion, didYouMean } from '../lib/suggest.ts';
import { pathProblem } from './disk/file-names.ts';
import { existsBelow } from './disk/files.ts';
import type { WorkspaceVal } from './vals.ts';
import { fileBelow, type KnownVals, valOfFile } from './workspace.ts';

export const findVal = (known: KnownVals, word: string): WorkspaceVal | undefined =>
  findByFile(known, word) ?? known.vals.ofName(word) ?? known.vals.ofId(word);

function findByFile(known: KnownVals, word: string): WorkspaceVal | undefined {
  const file = fileBelow(known, word);
  return (file === undefined ? undefined : valOfFile(known, file)) ?? known.vals.ofFile(pathFromRoot(word));
}

/** A hint writes ./ before a file name that begins with a dash. */
const pathFromRoot = (word: string): string => word.replace(/^\.\/(?=-)/, '');

/**
 * Hints name files from the root of the workspace. In a folder below, the same path may be another file, and a command
 * that was copied from a hint, such as push --force, would change the wrong val.
 */
export function refuseAmbiguousPath(known: KnownVals, word: string): void {
  const file = fileBelow(known, word);
  const fromRoot = pathFromRoot(word);
  if (file === undefined || file === fromRoot || pathProblem(fromRoot) !== undefined) return;
  const isVal = (path: string) => known.vals.ofFile(path) !== undefined;
  const isHere = isVal(file) || existsBelow(known.root, file);
  const isAtRoot = isVal(fromRoot) || isFile(join(known.root, fromRoot));
  if (!isHere || !isAtRoot) return;
  const pathHere = word === fromRoot ? `./${word}` : `../${basename(known.cwd)}/${fromRoot}`;
  const pathToRoot = withSlashes(relative(known.cwd, join(known.root, fromRoot)));
  throw new UsageError(`"${word}" can mean two files: ${file} and ${fromRoot}.`, {
    hint: `For the file in this folder, write ${quoteWord(pathHere)}. For the other file, write ${quoteWord(pathToRoot)}.`,
  });
}

export function unknownVal({ vals }: Pick<KnownVals, 'vals'>, word: string): NotFoundError {
  const inFolder = [...vals].find(({ file }) => basename(file) === word);
  const suggestion = inFolder
    ? asQuestion([asSuggestion(inFolder.file)])
    : didYouMean(
        word,
        [...vals].flatMap(({ name, file }) => [name, file]),
      );
  return new NotFoundError(`The workspace has no val "${word}".${suggestion}`, {
    hint: 'To list the vals of the workspace, run `vals status`.',
  });
}
