import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Real processes on two cores: more workers than cores only make each slower.
    maxWorkers: 2,
  },
  define: { VERSION: JSON.stringify('0.0.0-test') },
});
