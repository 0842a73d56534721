#!/usr/bin/env node
// Prints a text that the build prepared (the version, a help, a completion script), or else loads and runs the program.

const { existsSync, fstatSync, readFileSync, statSync, writeSync } = require('node:fs');

/**
 * Prints the prepared text. Returns false if there is no prepared text, or if a write fails. Then the caller loads the
 * program, which prints the whole text or reports the error.
 * @param {string[]} words
 */
function writePrepared(words) {
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
  const isHelp = name?.startsWith('help');
  // A prepared help is 80 columns wide. For a narrower terminal, the program makes the help.
  if (name === undefined || (isHelp && isNarrowTerminal())) return undefined;
  const folder = isHelp && wantsColor() ? 'prepared/styled' : 'prepared';
  try {
    return readFileSync(`${__dirname}/../dist/${folder}/${name}.txt`, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * The name of the prepared file; undefined if only the program can answer.
 * @param {string[]} words
 */
function preparedName(words) {
  const [first = '', second = ''] = words;
  if (words.length === 1 && (first === '--version' || first === '-V')) return 'version';
  if (words.length === 2 && first === 'completion' && isPlainWord(second)) return `completion-${second}`;
  const command = commandToExplain(words);
  if (!command?.every(isPlainWord)) return undefined;
  return ['help', ...command].join('-');
}

/**
 * The words of the command become a part of a file name. A word with a slash or a dot could lead out of the folder of prepared texts.
 * @param {string} word
 */
function isPlainWord(word) {
  return /^[a-z]+$/.test(word);
}

/**
 * The words of the command whose help the user asks for; empty for the help of all commands.
 * @param {string[]} words
 */
function commandToExplain(words) {
  if (words.length === 0) return [];
  if (words[0] === 'help') return words.slice(1);
  return words.at(-1) === '--help' || words.at(-1) === '-h' ? words.slice(0, -1) : undefined;
}

/**
 * Decides like src/terminal/output.ts for a command line without --color and --no-color: FORCE_COLOR alone never changes
 * the output in a pipe.
 */
function wantsColor() {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR || !isTerminal()) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return TERM !== 'dumb';
}

/**
 * Does not use process.stdout, because loading Node's streams takes longer than printing the help to a pipe or a file.
 * /dev/null is a character device too, but no terminal.
 */
function isTerminal() {
  const stats = fstatSync(1);
  return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

function isNarrowTerminal() {
  return isTerminal() && Number(process.env.COLUMNS || process.stdout.columns) < 80;
}

/** Ends with an error message, instead of a stack trace, if vals cannot start. */
function checkInstallation() {
  const missing = missingDenoPermissions().map((name) => `--allow-${name}`);
  if (missing.length > 0) {
    fail(
      `Deno does not give vals the permissions it needs: ${missing.join(', ')}.`,
      'Run vals with `deno run -A`.',
    );
  }
  if (!existsSync(`${__dirname}/../dist/main.js`)) {
    fail('vals is not built.', 'Run `npm ci` in the folder of vals.');
  }
}

/**
 * Returns an empty array on Node, because only Deno has these permissions.
 * @returns {string[]}
 */
function missingDenoPermissions() {
  const { permissions } = /** @type {any} */ (globalThis).Deno ?? {};
  const names = permissions ? ['read', 'write', 'env', 'net', 'run', 'sys', 'ffi'] : [];
  return names.filter((name) => permissions.querySync({ name }).state !== 'granted');
}

/**
 * @param {string} message
 * @param {string} hint
 */
function fail(message, hint) {
  writeSync(2, `error: ${message}\nhint: ${hint}\n`);
  process.exit(2);
}

function runProgram() {
  const { loadProgram } = require('./code-cache.js');
  // A command that has reached a service has run most of the program.
  let hasReachedService = false;
  const shouldWriteCache = () => hasReachedService;
  const onConnected = () => {
    hasReachedService = true;
  };
  loadProgram(shouldWriteCache).runProcess({ onConnected });
}

checkInstallation();
if (!writePrepared(process.argv.slice(2))) runProgram();
