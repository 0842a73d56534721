// Loaded before the program. Kills it, as kill -9 would, before the Nth step that changes the disk. With POWER_FAILS, what
// was written and not flushed is lost as well, but its file is there, as on ext4.
const fs = require('node:fs');

const { O_CREAT } = fs.constants;

let left = Number(process.env.CRASH_AFTER);
const places = [process.cwd(), process.env.HOME];
const inPlace = (target) =>
  typeof target === 'number' || places.some((place) => String(target).startsWith(place));
const unflushed = new Set();
const openPaths = new Map();

function noteFlushes(name, args, result) {
  const [target, content, options] = args;
  if (name === 'openSync') openPaths.set(result, target);
  if (name === 'writeFileSync' && !options?.flush) unflushed.add(openPaths.get(target) ?? target);
  if (name === 'fsyncSync') unflushed.delete(openPaths.get(target));
  if (name === 'renameSync' && unflushed.delete(target)) unflushed.add(content);
}

function crash() {
  if (process.env.POWER_FAILS) for (const path of unflushed) fs.truncateSync(path);
  process.kill(process.pid, 'SIGKILL');
}

// To a process that is killed, closing a file or flushing it makes no difference.
const isStep = {
  openSync: (path, flags) =>
    typeof flags === 'number' ? (flags & O_CREAT) !== 0 && !fs.existsSync(path) : /[wax]/.test(String(flags)),
  // By path it opens, too, which counts already.
  writeFileSync: (target) => typeof target === 'number',
  writeSync: () => true,
  fchmodSync: () => true,
  renameSync: () => true,
  rmSync: (path) => fs.existsSync(path),
  mkdirSync: (path) => !fs.existsSync(path),
  fsyncSync: () => false,
};

for (const [name, changes] of Object.entries(isStep)) {
  const original = fs[name];
  fs[name] = (...args) => {
    if (inPlace(args[0]) && changes(...args)) {
      if (left === 0) crash();
      left -= 1;
    }
    const result = original(...args);
    noteFlushes(name, args, result);
    return result;
  };
}
