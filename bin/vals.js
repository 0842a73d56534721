#!/usr/bin/env node
const { existsSync, writeSync } = require('node:fs');

const start = `${__dirname}/../dist/start.cjs`;
if (existsSync(start)) {
  require(start);
} else {
  writeSync(2, 'error: vals is not built.\nhint: Run `npm ci` in the folder of vals.\n');
  process.exitCode = 2;
}
