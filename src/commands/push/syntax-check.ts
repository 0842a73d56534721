import { resolve } from 'node:path';
import { forEach } from '../../cli/batch.ts';
import { findSuspects, type SyntaxFault } from '../../run/check-syntax.ts';
import { faultsIn, isChecked } from '../shared/syntax.ts';
import type { SourceFile } from './source-file.ts';

type CheckedFile = Pick<SourceFile, 'file' | 'canReadAgain'>;

/** By their paths, only files with a syntax error. */
type Faults = ReadonlyMap<string, readonly [SyntaxFault, ...SyntaxFault[]]>;

export interface SyntaxCheck {
  /** Begins to parse as soon as there are enough files. */
  add(file: CheckedFile, code: string): void;
  finish(): Promise<Faults>;
}

export const withoutCheck: SyntaxCheck = { add() {}, finish: async () => new Map() };

const filesPerBuild = 250;
const leastForBuild = 10;

/** Parses files while others are read. */
export function createSyntaxCheck(cwd: string): SyntaxCheck {
  const found = new Map<string, [SyntaxFault, ...SyntaxFault[]]>();
  const running: Promise<void>[] = [];
  let waiting: CheckedFile[] = [];
  /** The codes of the waiting files, so that no file is read again. */
  const codes = new Map<CheckedFile, string>();

  async function parse(files: readonly CheckedFile[]): Promise<void> {
    const isInFile = ({ canReadAgain }: CheckedFile) => canReadAgain;
    const isMany = files.filter(isInFile).length >= leastForBuild;
    const pathOf = ({ file }: CheckedFile) => resolve(cwd, file);
    const suspects = isMany ? await findSuspects(files.filter(isInFile).map(pathOf)) : undefined;
    const toParse = files.filter((file) => !isInFile(file) || (suspects?.has(pathOf(file)) ?? true));
    await forEach(toParse, 'auto', async (file) => {
      const [first, ...others] = await faultsIn(file.file, codes.get(file) ?? '');
      if (first !== undefined) found.set(file.file, [first, ...others]);
    });
    for (const file of files) codes.delete(file);
  }

  function parseWaiting(): void {
    const parsing = parse(waiting);
    // `finish` throws the error.
    parsing.catch(() => {});
    running.push(parsing);
    waiting = [];
  }

  return {
    add(file, code) {
      if (!isChecked(file.file)) return;
      waiting.push(file);
      codes.set(file, code);
      if (waiting.length >= filesPerBuild) parseWaiting();
    },
    async finish() {
      parseWaiting();
      await Promise.all(running);
      return found;
    },
  };
}
