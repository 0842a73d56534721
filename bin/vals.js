#!/usr/bin/env node
// Prints the version, a help text or a completion script from a file that the build prepared. For everything else,
// loads and runs the program.

const { existsSync, fstatSync, readFileSync, statSync, writeSync } = require('node:fs');

checkInstallation();
if (!printPrepared(process.argv.slice(2))) runProgram();

function checkInstallation() {
  const main = `${__dirname}/../dist/main.js`;
  if (!existsSync(main)) {
    fail('vals is not built.', 'Run `npm ci` in the folder of vals.');
  }
}

/**
 * @param {string} message
 * @param {string} hint
 */
function fail(message, hint) {
  writeSync(2, `error: ${message}\nhint: ${hint}\n`);
  process.exit(2);
}

/**
 * Returns false if a write fails. Then the program writes the whole text again, or reports the error.
 * @param {string[]} words
 */
function printPrepared(words) {
  const text = preparedText(words);
  if (text === undefined) return false;
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written);
    return true;
  } catch {
    return false;
  }
}

/** @param {string[]} words */
function preparedText(words) {
  const name = preparedName(words);
  if (name === undefined) return undefined;
  const isHelp = name.startsWith('help');
  try {
    // A prepared help text is 80 columns wide. For a narrower terminal, the program formats the text itself.
    if (isHelp && isNarrowTerminal()) return undefined;
    const folder = isHelp && wantsColor() ? 'prepared/styled' : 'prepared';
    return readFileSync(`${__dirname}/../dist/${folder}/${name}.txt`, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string[]} words */
function preparedName(words) {
  const [first = '', second = ''] = words;
  if (words.length === 1 && ['--version', '-V', '-v'].includes(first)) return 'version';
  if (words.length === 2 && first === 'completion' && isPlainWord(second)) return `completion-${second}`;
  const command = commandToExplain(words);
  if (command === undefined || !command.every(isPlainWord)) return undefined;
  return ['help', ...command].join('-');
}

/**
 * The word becomes part of a file name. With a slash or a dot, it could name a file in another folder.
 * @param {string} word
 */
function isPlainWord(word) {
  return /^[a-z]+$/.test(word);
}

/** @param {string[]} words */
function commandToExplain(words) {
  if (words.length === 0) return [];
  if (words[0] === 'help') return words.slice(1);
  return words.at(-1) === '--help' || words.at(-1) === '-h' ? words.slice(0, -1) : undefined;
}

/** Must agree with `format.color` in src/terminal/output.ts for a command line without --color and --no-color. */
function wantsColor() {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR || !isTerminal()) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return TERM !== 'dumb';
}

/** Does not use process.stdout.isTTY, because loading Node's streams takes longer than printing the help. */
function isTerminal() {
  const stats = fstatSync(1);
  const nullDevice = statSync('/dev/null', { throwIfNoEntry: false });
  return stats.isCharacterDevice() && stats.rdev !== nullDevice?.rdev;
}

function isNarrowTerminal() {
  return isTerminal() && Number(process.env.COLUMNS || process.stdout.columns) < 80;
}

function runProgram() {
  const { loadProgram } = require('./code-cache.js');
  const { program, keepBytecode } = loadProgram();
  program.runProcess({ onConnected: keepBytecode });
}
