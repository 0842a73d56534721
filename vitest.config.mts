import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { folderInMemory } from './test/support/in-memory.ts';
import { binariesOfPostgres } from './test/support/postgres.ts';

const inMemory = folderInMemory();
if (inMemory !== undefined) process.env.TMPDIR ??= inMemory;

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const timeouts = { testTimeout: 60_000, hookTimeout: 60_000 };

/** The program finds the one that runs a val beside itself, where it is built. */
const runsAsBuilt = {
  name: 'runs-as-built',
  transform: (code: string, id: string) =>
    id.endsWith('/src/commands/run/launch.ts')
      ? code.replace('__dirname', JSON.stringify(resolve('dist')))
      : undefined,
};

/** Alike for all, so that what was compiled for one is not compiled again. vitest takes the constants out of the object that it is given. */
const compiling = () => ({ define: { VERSION: JSON.stringify(version) }, plugins: [runsAsBuilt] });

/** Importing the program anew takes half a second a file. */
const oneProcess = { isolate: false };

/** It looks on while the program asks its database. */
const readsPlans = 'test/service/plans.test.ts';

/** The first have a time of their own, which ends with the process. */
const needOwnProcess = ['test/api/http/faults/**/*.test.ts', readsPlans];

const needService = ['test/service/**/*.test.ts', 'test/commands/user.test.ts'];
const endsServices = { setupFiles: 'test/service/after-file.ts' };

const needPostgres = ['test/postgres/**/*.test.ts'];

/** What the service does is the same on both of its databases. */
const onBothDatabases = [
  'test/commands/user.test.ts',
  ...[
    'guard',
    'lists',
    'openapi',
    'people',
    'processes',
    'released',
    'reported-runs',
    'search',
    'seeds',
    'sign-in',
    'spaces',
    'vals',
    'years',
  ].map((name) => `test/service/${name}.test.ts`),
];

const hasPostgres = binariesOfPostgres() !== undefined;
if (!hasPostgres) console.warn('PostgreSQL is not installed here: the tests that need it are skipped.');

export default defineConfig({
  test: {
    globalSetup: 'test/support/build.ts',
    // Most tests wait more than they compute, so two cores take four.
    maxWorkers: 4,
    // What was compiled for the last run is not compiled again.
    experimental: { fsModuleCache: true },
    // They run in the order of their names: what waits most comes first, and the many short files fill up the end.
    projects: [
      {
        ...compiling(),
        test: { name: 'alone', include: needOwnProcess, ...timeouts },
      },
      {
        ...compiling(),
        test: {
          name: 'one process',
          include: ['test/**/*.test.ts'],
          exclude: [...needOwnProcess, ...needService, ...needPostgres],
          ...oneProcess,
          ...timeouts,
        },
      },
      {
        ...compiling(),
        test: {
          name: 'embedded service',
          include: needService,
          exclude: [readsPlans],
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
