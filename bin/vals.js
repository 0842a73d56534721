#!/usr/bin/env node

const { fstatSync, readFileSync, statSync, writeSync } = require('node:fs');

/** What was rendered when building, the version, the help and completion, needs no program: only to be written. */
function answerAtOnce(words) {
  const text = preparedText(words);
  if (text === undefined) return false;
  try {
    return writeSync(1, text) === Buffer.byteLength(text);
  } catch {
    return false;
  }
}

function preparedText(words) {
  const name = preparedName(words);
  // Help is laid out for 80 columns; a narrower terminal gets its own.
  const isHelp = name?.startsWith('help');
  if (name === undefined || (isHelp && isNarrowTerminal())) return undefined;
  const folder = isHelp && wantsColor() ? 'prepared/styled' : 'prepared';
  try {
    return readFileSync(`${__dirname}/../dist/${folder}/${name}.txt`, 'utf8');
  } catch {
    return undefined;
  }
}

function preparedName(words) {
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) return 'version';
  if (words[0] === 'completion' && /^[a-z]+$/.test(words[1]) && words.length === 2) return words.join('-');
  const command = commandToExplain(words);
  if (!command?.every((word) => /^[a-z]+$/.test(word))) return undefined;
  return ['help', ...command].join('-');
}

function commandToExplain(words) {
  if (words.length === 0 || words[0] === 'help') return words.slice(1);
  return words.at(-1) === '--help' || words.at(-1) === '-h' ? words.slice(0, -1) : undefined;
}

/** As the program decides it without a flag. */
function wantsColor() {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR || !isTerminal()) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return TERM !== 'dumb';
}

/** Asking the stream would load what streams are made of, which takes longer than the whole help. */
function isTerminal() {
  const stats = fstatSync(1);
  return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

const isNarrowTerminal = () => isTerminal() && (process.env.COLUMNS || process.stdout.columns) < 80;

const words = process.argv.slice(2);
if (!answerAtOnce(words)) require('./code-cache.js').loadProgram(words).runProcess();
