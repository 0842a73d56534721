#!/usr/bin/env node
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know the prefix.
const { existsSync, writeSync } = require('fs');
const { neededNode } = require('./check-node.js');

const start = `${__dirname}/../dist/start.cjs`;
const needed = neededNode(process.versions.node);

/**
 * @param {string} problem
 * @param {string} hint
 */
function refuse(problem, hint) {
  writeSync(2, `error: ${problem}\nhint: ${hint}\n`);
  process.exitCode = 2;
}

if (needed !== undefined) {
  refuse(
    `vals needs Node ${needed} or later; this is ${process.versions.node}.`,
    'Install a newer Node, for example from https://nodejs.org.',
  );
} else if (existsSync(start)) {
  require(start);
} else {
  refuse('vals is not built.', 'Run `npm ci` in the folder of vals.');
}
