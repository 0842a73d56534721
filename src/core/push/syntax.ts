import { extname } from 'node:path';
import type { OptionDefinition } from '../command-line/command.ts';
import { LocalError } from '../errors.ts';
import { canCheck, findSyntaxFaults, type SyntaxFault } from '../files/check-syntax.ts';
import type { Hints } from '../lib/hint.ts';

export const noCheck = {
  description: 'send the code even if it has a syntax error',
  rare: true,
} satisfies OptionDefinition;

/** A file with another extension, which the user named, is not checked. `-` is standard input. */
export const isChecked = (file: string): boolean => file === '-' || canCheck(extname(file));

export const faultsIn = (file: string, code: string): Promise<SyntaxFault[]> =>
  findSyntaxFaults(code, file === '-' ? undefined : extname(file));

export async function refuseBrokenCode(
  file: string,
  code: string,
  { noCheck = false }: { noCheck?: boolean | undefined },
): Promise<void> {
  if (noCheck || !isChecked(file)) return;
  const [fault] = await faultsIn(file, code);
  if (fault !== undefined) throw syntaxError(file, fault);
}

export function syntaxError(
  file: string,
  { line, column, message, lineText }: SyntaxFault,
  hint: Hints = ['Fix the code.', 'To send it as it is, add --no-check.'],
): LocalError {
  const problem = 'has a syntax error';
  const subject =
    file === '-' ? `The code ${problem} at ${line}:${column}` : `${file}:${line}:${column} ${problem}`;
  const code = excerpt(lineText, column);
  // Code that ends too early ends after its last line break, on a line without text.
  const where = code === '' ? '' : ` The line is \`${code}\`.`;
  return new LocalError(`${subject}: ${message}.${where}`, {
    hint,
    place: { line, column },
  });
}

const longestExcerpt = 100;

/** A minified file can be one line of many thousand characters. */
function excerpt(line: string, column: number): string {
  const characters = [...line];
  if (characters.length <= longestExcerpt) return line.trim();
  const start = Math.max(0, column - longestExcerpt / 2);
  return characters
    .slice(start, start + longestExcerpt)
    .join('')
    .trim();
}
