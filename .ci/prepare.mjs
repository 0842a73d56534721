// npm runs this file after `npm ci` in a checkout.
try {
  // If commander is installed, all development dependencies are installed.
  import.meta.resolve('commander');
} catch {
  console.error(
    'vals was not built, because its development dependencies are missing. Run `npm ci` to install them.',
  );
  process.exit(0);
}
await import('../esbuild.config.mjs');
