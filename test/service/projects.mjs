// How vitest runs the tests of the service. vitest.config.mts reads each test/*/projects.mjs.
import { binariesOfPostgres } from './support/postgres-binaries.mjs';

const isLong = process.env.VALS_TEST_LONG === '1';

/** These files need their own process, because they replace a module for the whole process. */
const alone = ['test/service/database/plans.test.ts'];

const needPostgres = ['test/service/postgres/**/*.test.ts'];

/** The tests whose outcome depends on locks, on the types of columns, or on SQL that differs. */
const onBothDatabases = [
  'test/service/routes/{if-match,lists,revocation,vals}.test.ts',
  'test/service/store/{references,search}.test.ts',
  'test/service/database/{newer-store,processes}.test.ts',
  'test/service/backup/backup.test.ts',
];

/** Most of their statements run on PostgreSQL in the tests above, and in `plans.test.ts`. */
const onBothDatabasesIfLong = [
  'test/service/routes/{openapi,reported-runs}.test.ts',
  'test/service/store/{spaces,years}.test.ts',
  'test/service/database/deletion.test.ts',
];

const hasPostgres = binariesOfPostgres() !== undefined;
if (!hasPostgres) console.warn('PostgreSQL is not installed here: the tests that need it are skipped.');

export const globalSetup = 'test/service/support/empty-store.ts';

/** The tests that the common project leaves out. */
export const apart = [...alone, ...needPostgres];

const postgres = { globalSetup: 'test/service/support/postgres.ts' };

export const projects = [
  { name: 'alone', include: alone },
  ...(hasPostgres
    ? [
        {
          name: 'on PostgreSQL',
          include: [...onBothDatabases, ...(isLong ? onBothDatabasesIfLong : []), ...needPostgres],
          ...postgres,
          isolate: false,
        },
        { name: 'on PostgreSQL, alone', include: alone, ...postgres },
      ]
    : []),
];
