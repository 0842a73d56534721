// Loaded before the program: notes the name of each file that it puts in its place. Before a chosen one, it kills the program, as
// kill -9 would, or fails, as in a folder that is read-only, until the file FAIL_UNTIL exists.
const fs = require('node:fs');

const hasPassed = () => process.env.FAIL_UNTIL && fs.existsSync(process.env.FAIL_UNTIL);

/** @param {import('node:fs').PathLike} path */
function beforeNaming(path) {
  const name = String(path).split('/').at(-1);
  if (name === process.env.KILL_BEFORE) process.kill(process.pid, 'SIGKILL');
  if (name === process.env.FAIL_BEFORE && !hasPassed()) {
    throw Object.assign(new Error("EACCES: permission denied, rename 'x'"), { code: 'EACCES' });
  }
  if (process.env.RENAMES_FILE) fs.appendFileSync(process.env.RENAMES_FILE, `${name}\n`);
}

const { renameSync, linkSync } = fs;
fs.renameSync = (from, to) => {
  beforeNaming(to);
  renameSync(from, to);
};
fs.linkSync = (from, to) => {
  beforeNaming(to);
  linkSync(from, to);
};
