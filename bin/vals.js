#!/usr/bin/env node

/** Whether the version was asked for and could be written at once; the rest is left to the program. */
function answeredVersion() {
  if (process.argv.length !== 3 || process.argv[2] !== '--version') return false;
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch {
    return false;
  }
}

if (!answeredVersion()) require('../dist/main.js').runProcess();
