// Loaded before the program: puts a link in the place of something before the Nth of its steps that touch it.
const fs = require('node:fs');
const path = require('node:path');

const place = process.env.SWAP_PLACE ?? '';
const target = process.env.SWAP_TARGET ?? '';
let left = Number(process.env.SWAP_AFTER);
const { renameSync, symlinkSync, readlinkSync } = fs;

// The program holds folders open, and names files in them so.
const held = /^\/proc\/self\/fd\/\d+/;
const isThere = (/** @type {unknown} */ arg) =>
  typeof arg === 'string' &&
  `${path.resolve(arg.replace(held, (folder) => readlinkSync(folder)))}/`.startsWith(`${place}/`);

function swapIn() {
  try {
    renameSync(place, `${place}.aside`);
    symlinkSync(target, place);
  } catch {
    // It is not there yet: a later step may make it.
    left += 1;
  }
}

const isStep = /^(?:open|lstat|stat|exists|readFile|readdir|rename|mkdir|rm|unlink|writeFile)(?:Sync)?$/;
for (const module of [fs, fs.promises]) {
  /** @type {Record<string, (...args: unknown[]) => unknown>} */
  const calls = Object(module);
  for (const [name, original] of Object.entries(calls)) {
    if (!isStep.test(name)) continue;
    calls[name] = (...args) => {
      if (args.some(isThere)) {
        if (left === 0) swapIn();
        left -= 1;
      }
      return original(...args);
    };
  }
}
