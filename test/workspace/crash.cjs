// Loaded before the program. Kills it, as kill -9 would, before the Nth step that changes the disk.
const fs = require('node:fs');

const { O_CREAT } = fs.constants;

let left = Number(process.env.CRASH_AFTER);
const places = [process.cwd(), process.env.HOME];
const inPlace = (target) =>
  typeof target === 'number' || places.some((place) => String(target).startsWith(place));
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
};

for (const [name, changes] of Object.entries(isStep)) {
  const original = fs[name];
  fs[name] = (...args) => {
    if (inPlace(args[0]) && changes(...args)) {
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      left -= 1;
    }
    return original(...args);
  };
}
