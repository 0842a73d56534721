// Loaded into a measured program by --require: at its end, notes the most memory it ever held, in KiB.
// Linux counts what the parent held at the fork into maxRSS, so its own high-water mark is taken where there is one.
const { readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');

process.once('exit', () => {
  let peak;
  try {
    peak = /^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  } catch {}
  writeFileSync(process.env.PEAK_MEMORY_FILE ?? '', String(peak ?? process.resourceUsage().maxRSS));
});
