import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isLong } from './test/support/cases.ts';
import { chromium } from './test/support/chromium.ts';
import { folderInMemory } from './test/support/in-memory.ts';
import { binariesOfPostgres } from './test/support/postgres.ts';

const inMemory = folderInMemory();
if (inMemory !== undefined) process.env.TMPDIR ??= inMemory;

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
/** For a busy machine. `npm run test:long` sets a longer one. */
const timeouts = { testTimeout: 240_000, hookTimeout: 60_000, expect: { poll: { timeout: 40_000 } } };

/** launch.ts and serve-agents.ts load other programs from `__dirname`, which is the folder dist in the built program. */
const runsAsBuilt = {
  name: 'runs-as-built',
  transform: (code: string, id: string) =>
    /\/src\/(run\/launch|agents\/serve-agents)\.ts$/.test(id)
      ? code.replace('__dirname', JSON.stringify(resolve('dist')))
      : undefined,
};

/**
 * All projects have the same options, so that vitest compiles each file only once. Each project has its own object,
 * because vitest changes the object.
 */
const compiling = () => ({ define: { VERSION: JSON.stringify(version) }, plugins: [runsAsBuilt] });

/** The test files share a process, because a new process needs half a second to import the program. */
const oneProcess = { isolate: false };

/** These files need their own process, because they replace a module for the whole process. */
const alone = ['test/service/database/{plans,upgrade}.test.ts'];

const endsServices = { setupFiles: 'test/service/after-file.ts' };

const needPostgres = ['test/service/postgres/**/*.test.ts'];

/** The tests whose outcome depends on locks, on the types of columns, or on SQL that differs. */
const onBothDatabases = [
  'test/service/routes/{if-match,lists,revocation,vals}.test.ts',
  'test/service/store/{references,search}.test.ts',
  'test/service/database/processes.test.ts',
  'test/service/backup/backup.test.ts',
];

/** Most of their statements run on PostgreSQL in the tests above, and in `plans.test.ts`. */
const onBothDatabasesIfLong = [
  'test/service/routes/{openapi,reported-runs}.test.ts',
  'test/service/store/{spaces,years}.test.ts',
  'test/service/database/deletion.test.ts',
];

const hasPostgres = binariesOfPostgres() !== undefined;
if (!chromium) console.warn('Chromium is not installed here: the tests in a browser are skipped.');
if (!hasPostgres) console.warn('PostgreSQL is not installed here: the tests that need it are skipped.');

export default defineConfig({
  test: {
    globalSetup: 'test/support/build.ts',
    // The tests wait about as long as they compute: 190 seconds of processor time. On two cores, three workers took 184
    // seconds, four 160 and six 122.
    maxWorkers: 3 * availableParallelism(),
    experimental: { fsModuleCache: true },
    // vitest sorts the projects by name. The shortest files are in the last project, so that all workers end together.
    projects: [
      {
        ...compiling(),
        test: { name: 'alone', include: alone, ...timeouts },
      },
      {
        ...compiling(),
        test: {
          name: 'one process',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...needPostgres],
          ...endsServices,
          ...oneProcess,
          ...timeouts,
        },
      },
      ...(hasPostgres
        ? [
            {
              include: [...onBothDatabases, ...(isLong ? onBothDatabasesIfLong : []), ...needPostgres],
              ...endsServices,
              ...oneProcess,
            },
            { include: alone, isolate: true },
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
