#!/usr/bin/env node
// Prints a text that the build prepared (the version, a help, a completion script), or else loads and runs the program.

const { existsSync, fstatSync, readFileSync, statSync, writeSync } = require('node:fs');

/**
 * Returns false if there is no prepared text, or if it cannot be written. The program then writes it, or reports the error.
 * @param {string[]} words
 */
function writePrepared(words) {
  const text = preparedText(words);
  if (text === undefined) return false;
  try {
    return writeSync(1, text) === Buffer.byteLength(text);
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
  if (words.length === 2 && first === 'completion' && /^[a-z]+$/.test(second)) return `completion-${second}`;
  const command = commandToExplain(words);
  if (!command?.every((word) => /^[a-z]+$/.test(word))) return undefined;
  return ['help', ...command].join('-');
}

/**
 * The words of the command whose help the user asks for; empty for the help of all commands.
 * @param {string[]} words
 */
function commandToExplain(words) {
  if (words.length === 0 || words[0] === 'help') return words.slice(1);
  return words.at(-1) === '--help' || words.at(-1) === '-h' ? words.slice(0, -1) : undefined;
}

/** The same decision as `wantsColor` of the program, without its flags. */
function wantsColor() {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR || !isTerminal()) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return TERM !== 'dumb';
}

/** Does not use process.stdout, because loading Node's streams takes longer than printing the help. */
function isTerminal() {
  const stats = fstatSync(1);
  return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

const isNarrowTerminal = () => isTerminal() && Number(process.env.COLUMNS || process.stdout.columns) < 80;

/** Ends with an error message, instead of a stack trace, if vals cannot start. */
function checkInstallation() {
  const missing = missingPermissions().map((name) => `--allow-${name}`);
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

/** @returns {string[]} */
function missingPermissions() {
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
  // The compiled code is stored only after a command that reached a service: it has run most of the program.
  let hasReachedService = false;
  const onConnected = () => {
    hasReachedService = true;
  };
  loadProgram(() => hasReachedService).runProcess({ onConnected });
}

checkInstallation();
if (!writePrepared(process.argv.slice(2))) runProgram();
