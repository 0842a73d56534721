// Loaded before the program: kills it, as kill -9 would, before it puts store.db in its place.
const fs = require('node:fs');

const { renameSync } = fs;
fs.renameSync = (from, to) => {
  if (String(to).endsWith('/store.db')) process.kill(process.pid, 'SIGKILL');
  renameSync(from, to);
};
