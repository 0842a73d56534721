// Commander takes a command line apart, and our own reading of it completes and explains: the two must agree.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/commander.ts';
import { readWords } from '../../src/cli/read-words.ts';
import { commandTree } from '../../src/commands/index.ts';
import { UsageError } from '../../src/errors.ts';
import { budget } from '../support/budget.ts';

const word = fc.constantFrom(
  ...['push', 'me', 'val', 'version', 'get', 'rm', 'ls', 'diff', 'api', 'runs', 'likes', 'nonsense', 'help'],
  ...[
    '--json',
    '--ndjson',
    '--quiet',
    '--no-color',
    '--fields',
    '--fields=a',
    '--base-url',
    '--limit',
    '--all',
  ],
  ...['--error', '--no-error', '--code', '--json=x', '--nonsense', '--nonsense=x', '-f', '-fa=1', '-F', '-x'],
  ...['--', '-', '-1', '', 'a=1', '1', '--name', '--help', '-h', '-hx'],
);

/** What commander makes of the words: a command, a help, or a sentence that refuses them. */
function parse(words: readonly string[]) {
  try {
    const line = parseCommandLine(words, commandTree, 80);
    return 'help' in line ? { help: true } : { path: line.command.path };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { refusal: error.message };
  }
}

it('commander and we read a command line alike', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const { path, refusal } = parse(words);
      const read = readWords(words, commandTree);
      const odd = read.options.filter(({ option, hasSurplusValue }) => !option || hasSurplusValue);
      if (refusal !== undefined) expect(refusal).not.toMatch(/cannot be understood|^error/);
      if (path === undefined) return;
      expect(words[0]).not.toBe('help');
      expect({ path: read.command?.path, awaiting: read.awaiting, odd }).toEqual({ path, odd: [] });
    }),
    { numRuns: budget(150) },
  );
});
