import { type Hint, listOf } from '../../lib/hint.ts';

/**
 * If a command was given words, the commands that it proposes name the files that they are about. So they work wherever
 * the command was typed, and change nothing else.
 */
export function hintAbout(files: readonly string[], hint: Hint): Hint {
  const argument = argumentOfFiles[hint.command ?? ''];
  return argument === undefined ? hint : { ...hint, input: { [argument]: listOf(files), ...hint.input } };
}

const argumentOfFiles: Readonly<Record<string, string>> = {
  push: 'paths',
  pull: 'vals',
  diff: 'vals',
  status: 'vals',
};

export const fileAndOthers = (file: string, others: number): string =>
  others === 0 ? file : `${file} and ${others} more ${others === 1 ? 'file' : 'files'}`;
