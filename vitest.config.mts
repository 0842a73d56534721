import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { folderInMemory } from './test/support/in-memory.ts';
import { binariesOfPostgres } from './test/support/postgres.ts';

const inMemory = folderInMemory();
if (inMemory !== undefined) process.env.TMPDIR ??= inMemory;

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const timeouts = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 40_000 } } };

/** The program looks beside itself for two other programs, which are in dist. */
const runsAsBuilt = {
  name: 'runs-as-built',
  transform: (code: string, id: string) =>
    /\/src\/(commands\/run\/launch|agents\/serve)\.ts$/.test(id)
      ? code.replace('__dirname', JSON.stringify(resolve('dist')))
      : undefined,
};

/** The same for all projects, so that vitest compiles each file once. A new object each time, because vitest changes it. */
const compiling = () => ({ define: { VERSION: JSON.stringify(version) }, plugins: [runsAsBuilt] });

/** A process for each file would import the program again, which takes half a second. */
const oneProcess = { isolate: false };

/** Needs its own process, because it replaces a module to record the statements that the program runs. */
const readsPlans = 'test/service/database/plans.test.ts';

const endsServices = { setupFiles: 'test/service/after-file.ts' };

const needPostgres = ['test/postgres/**/*.test.ts'];

/** Tests of behaviour that is the same on both databases. */
const onBothDatabases = [
  'test/commands/user.test.ts',
  'test/service/routes/*.test.ts',
  'test/service/store/*.test.ts',
  'test/service/database/{processes,released}.test.ts',
  'test/service/pages/sign-in.test.ts',
];

const hasPostgres = binariesOfPostgres() !== undefined;
if (!hasPostgres) console.warn('PostgreSQL is not installed here: the tests that need it are skipped.');

export default defineConfig({
  test: {
    globalSetup: 'test/support/build.ts',
    // Most tests wait more than they compute, so two cores run four at a time.
    maxWorkers: 4,
    // Keeps compiled files for the next run.
    experimental: { fsModuleCache: true },
    // Projects run in the order of their names: those that wait most come first, and short files fill the end.
    projects: [
      {
        ...compiling(),
        test: { name: 'alone', include: [readsPlans], ...timeouts },
      },
      {
        ...compiling(),
        test: {
          name: 'one process',
          include: ['test/**/*.test.ts'],
          exclude: [readsPlans, ...needPostgres],
          ...endsServices,
          ...oneProcess,
          ...timeouts,
        },
      },
      ...(hasPostgres
        ? [
            { include: [...onBothDatabases, ...needPostgres], ...endsServices, ...oneProcess },
            { include: [readsPlans], isolate: true },
          ].map((part) => ({
            ...compiling(),
            test: {
              name: part.isolate ? 'on PostgreSQL, alone' : 'on PostgreSQL',
              globalSetup: 'test/support/postgres.ts',
              ...timeouts,
              ...part,
            },
          }))
        : []),
    ],
  },
});
