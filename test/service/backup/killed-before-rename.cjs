// Loaded before the program: kills it, as kill -9 would, before it puts copy.db in its place.
const fs = require('node:fs');

const { renameSync } = fs;
fs.renameSync = (from, to) => {
  if (String(to).endsWith('/copy.db')) process.kill(process.pid, 'SIGKILL');
  renameSync(from, to);
};
