// Loaded before the program: notes the name of each file that it puts in its place, and kills it, as kill -9 would, before a chosen one.
const fs = require('node:fs');

const original = fs.renameSync;
fs.renameSync = (from, to) => {
  const name = String(to).split('/').at(-1);
  if (name === process.env.KILL_BEFORE) process.kill(process.pid, 'SIGKILL');
  if (process.env.RENAMES_FILE) fs.appendFileSync(process.env.RENAMES_FILE, `${name}\n`);
  original(from, to);
};
