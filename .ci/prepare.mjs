// Run by npm after an install in a checkout: builds dist/, or says why it cannot.
try {
  // One of them stands for all.
  import.meta.resolve('commander');
} catch {
  console.error(
    'vals was not built, because its development dependencies are missing. Run `npm ci` to install them.',
  );
  process.exit(0);
}
await import('../esbuild.config.mjs');
