#!/usr/bin/env node

const { fstatSync, readFileSync, writeSync } = require('node:fs');

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
  if (name === undefined || (name.startsWith('help') && isNarrowTerminal())) return undefined;
  try {
    return readFileSync(`${__dirname}/../dist/prepared/${name}.txt`, 'utf8');
  } catch {
    return undefined;
  }
}

function preparedName(words) {
  if (words.length === 1 && words[0] === '--version') return 'version';
  if (words[0] === 'completion' && /^[a-z]+$/.test(words[1]) && words.length === 2) return words.join('-');
  const asksForHelp = words.length === 0 || words.at(-1) === '--help' || words.at(-1) === '-h';
  const command = words.slice(0, -1);
  if (!asksForHelp || !command.every((word) => /^[a-z]+$/.test(word))) return undefined;
  return ['help', ...command].join('-');
}

function isNarrowTerminal() {
  // Asking the stream alone would load what streams are made of, which takes longer than the whole help.
  return fstatSync(1).isCharacterDevice() && process.stdout.columns < 80;
}

if (!answerAtOnce(process.argv.slice(2))) require('./load.js').load('main.js').runProcess();
