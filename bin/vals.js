#!/usr/bin/env node

const { readFileSync, writeSync } = require('node:fs');

/** What was rendered when building, the version and the help, needs no program: only to be written. */
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
  if (name === undefined) return undefined;
  // Help is laid out for 80 columns; a narrower terminal gets its own.
  if (require('node:tty').isatty(1) && process.stdout.columns < 80) return undefined;
  try {
    return readFileSync(`${__dirname}/../dist/prepared/${name}.txt`, 'utf8');
  } catch {
    return undefined;
  }
}

function preparedName(words) {
  if (words.length === 1 && words[0] === '--version') return 'version';
  const asksForHelp = words.length === 0 || words.at(-1) === '--help' || words.at(-1) === '-h';
  const command = words.slice(0, -1);
  if (!asksForHelp || !command.every((word) => /^[a-z]+$/.test(word))) return undefined;
  return ['help', ...command].join('-');
}

if (!answerAtOnce(process.argv.slice(2))) require('../dist/main.js').runProcess();
