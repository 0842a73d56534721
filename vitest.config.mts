import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most tests wait more than they compute, so two cores take four.
    maxWorkers: 4,
  },
  define: { VERSION: JSON.stringify(version) },
});
