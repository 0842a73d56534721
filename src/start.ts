// Prints the version, a help text or a completion script that the build prepared. For everything else, loads and runs
// the program. Without the prepared texts, `vals --help` takes 200 ms of processor time instead of 40 ms.
import { fstatSync, readFileSync, statSync, writeSync } from 'node:fs';
import { loadProgram } from './code-cache.ts';
import { wantsColor, withoutColor } from './core/output/style.ts';
import { platformDirectories } from './core/settings/directories.ts';

if (!printPrepared(process.argv.slice(2))) {
  const { cache } = platformDirectories(process.env, process.platform);
  const { program, keepBytecode } = loadProgram(__dirname, cache);
  void program.runProcess({ dist: __dirname, onConnected: keepBytecode });
}

/** Returns false if a write fails. Then the program writes the whole text again, or reports the error. */
function printPrepared(words: readonly string[]): boolean {
  try {
    const text = preparedText(words);
    if (text === undefined) return false;
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
    return true;
  } catch {
    return false;
  }
}

/** Throws if the build prepared no such text. */
function preparedText(words: readonly string[]): string | undefined {
  const name = preparedName(words);
  if (name === undefined) return undefined;
  const isTerminal = isStdoutTerminal();
  // A prepared help text is 80 columns wide. For a narrower terminal, the program formats the text itself.
  if (isTerminal && Number(process.env.COLUMNS || process.stdout.columns) < 80) return undefined;
  const text = readFileSync(`${__dirname}/prepared/${name}.txt`, 'utf8');
  return isTerminal && wantsColor(undefined, process.env, { isTerminal }) ? text : withoutColor(text);
}

function preparedName(words: readonly string[]): string | undefined {
  const [first = '', second = ''] = words;
  if (words.length === 1 && ['--version', '-V', '-v'].includes(first)) return 'version';
  if (words.length === 2 && first === 'completion' && isPlainWord(second)) return `completion-${second}`;
  const command = commandToExplain(words);
  return command?.every(isPlainWord) ? ['help', ...command].join('-') : undefined;
}

/** The word becomes part of a file name. With a slash or a dot, it could name a file in another folder. */
function isPlainWord(word: string): boolean {
  return /^[a-z]+$/.test(word);
}

function commandToExplain(words: readonly string[]): readonly string[] | undefined {
  if (words.length === 0) return [];
  if (words[0] === 'help') return words.slice(1);
  return words.at(-1) === '--help' || words.at(-1) === '-h' ? words.slice(0, -1) : undefined;
}

/** Does not use process.stdout.isTTY, because loading Node's streams takes longer than printing the help. */
function isStdoutTerminal(): boolean {
  const stats = fstatSync(1);
  const nullDevice = statSync('/dev/null', { throwIfNoEntry: false });
  return stats.isCharacterDevice() && stats.rdev !== nullDevice?.rdev;
}
