try {
  // One development dependency is enough for the check, because npm installs all of them or none.
  import.meta.resolve('commander');
} catch {
  console.error(
    'vals was not built, because its development dependencies are missing. Run `npm ci` to install them.',
  );
  process.exit(0);
}
await import('../esbuild.config.mjs');
