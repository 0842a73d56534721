// Loaded before the program. Kills it, as kill -9 would, before the Nth step that changes the config folder.
const fs = require('node:fs');

const { KILLED_BEFORE, VALS_CONFIG_DIR: folder = '' } = process.env;
let left = Number(KILLED_BEFORE);
const descriptors = new Set();

const steps = [
  'mkdirSync',
  'openSync',
  'writeFileSync',
  'writeSync',
  'fchmodSync',
  'chmodSync',
  'renameSync',
];
for (const name of steps) {
  const original = fs[name];
  fs[name] = (target, ...more) => {
    const isInFolder = typeof target === 'number' ? descriptors.has(target) : `${target}`.startsWith(folder);
    if (isInFolder) {
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      left -= 1;
    }
    const result = original(target, ...more);
    if (isInFolder && name === 'openSync') descriptors.add(result);
    return result;
  };
}
