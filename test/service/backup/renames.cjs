// Loaded before the program: kills it, as kill -9 would, before the file of the name KILL_BEFORE is put in its place.
const fs = require('node:fs');

const { renameSync } = fs;
fs.renameSync = (from, to) => {
  if (String(to).split('/').at(-1) === process.env.KILL_BEFORE) process.kill(process.pid, 'SIGKILL');
  renameSync(from, to);
};
