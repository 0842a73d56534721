#!/usr/bin/env node

if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.write(`${require('../package.json').version}\n`);
} else {
  require('../dist/main.js').runProcess();
}
