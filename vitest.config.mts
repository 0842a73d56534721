import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { binariesOfPostgres } from './test/support/postgres.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
// vitest takes them out of the object that it is given.
const define = () => ({ VERSION: JSON.stringify(version) });
const timeouts = { testTimeout: 60_000, hookTimeout: 60_000 };

/** They change the process that they run in, or end with it. */
const needOwnProcess = [
  'test/api/http/faults/**/*.test.ts',
  'test/commands/user.test.ts',
  'test/screens/**/*.test.ts',
  'test/service/**/*.test.ts',
  'test/terminal/layout.test.ts',
];

const needPostgres = ['test/postgres/**/*.test.ts'];

/** What the service does is the same on both of its databases. */
const onBothDatabases = [
  'test/commands/user.test.ts',
  ...['guard', 'lists', 'people', 'plans', 'reported-runs', 'sign-in', 'strict-client', 'vals'].map(
    (name) => `test/service/${name}.test.ts`,
  ),
];

const hasPostgres = binariesOfPostgres() !== undefined;
if (!hasPostgres) console.warn('PostgreSQL is not installed here: the tests that need it are skipped.');

export default defineConfig({
  test: {
    globalSetup: 'test/support/build.ts',
    // Most tests wait more than they compute, so two cores take four.
    maxWorkers: 4,
    projects: [
      { define: define(), test: { name: 'own process', include: needOwnProcess, ...timeouts } },
      {
        define: define(),
        test: {
          name: 'one process',
          include: ['test/**/*.test.ts'],
          exclude: [...needOwnProcess, ...needPostgres],
          // Importing the program anew takes half a second a file.
          isolate: false,
          ...timeouts,
        },
      },
      ...(hasPostgres
        ? [
            {
              define: define(),
              test: {
                name: 'postgres',
                include: [...onBothDatabases, ...needPostgres],
                globalSetup: 'test/support/postgres.ts',
                ...timeouts,
              },
            },
          ]
        : []),
    ],
  },
});
