// npm runs this after an install in a checkout. Builds dist/, or says why it cannot be built.
try {
  // commander stands for all development dependencies.
  import.meta.resolve('commander');
} catch {
  console.error(
    'vals was not built, because its development dependencies are missing. Run `npm ci` to install them.',
  );
  process.exit(0);
}
await import('../esbuild.config.mjs');
