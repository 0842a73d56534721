import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { chromium } from './test/support/chromium.ts';
import { folderInMemory } from './test/support/in-memory.ts';

const inMemory = folderInMemory();
if (inMemory !== undefined) process.env.TMPDIR ??= inMemory;
// A user whom the system does not know, as in a container, may have no home.
process.env.HOME ??= tmpdir();

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
/** They end a test that hangs, and no test on a busy machine. `npm run test:long` sets a longer one. */
const timeouts = { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 200_000 } } };

/**
 * All projects have the same options, so that vitest compiles each file only once. Each project has its own object,
 * because vitest changes the object.
 */
const compiling = () => ({
  define: { VERSION: JSON.stringify(version), DIST: JSON.stringify(resolve('dist')) },
});

/** The test files share a process, because a new process needs half a second to import the program. */
const oneProcess = { isolate: false };

/** What the tests of a feature need besides. */
interface OfFeature {
  globalSetup?: string;
  apart?: string[];
  projects?: (TestProjectInlineConfiguration['test'] & object)[];
}

const files = readdirSync('test').map((name) => resolve('test', name, 'projects.mjs'));
const ofFeatures: OfFeature[] = await Promise.all(
  files.filter((file) => existsSync(file)).map((file) => import(pathToFileURL(file).href)),
);

if (!chromium) console.warn('Chromium is not installed here: the tests in a browser are skipped.');

export default defineConfig({
  test: {
    globalSetup: ['test/support/build.ts', ...ofFeatures.flatMap(({ globalSetup = [] }) => globalSetup)],
    // The tests wait about as long as they compute: 190 seconds of processor time. On two cores, three workers took 184
    // seconds, four 160 and six 122.
    maxWorkers: 3 * availableParallelism(),
    teardownTimeout: 60_000,
    experimental: { fsModuleCache: true },
    // vitest sorts the projects by name. The shortest files are in the last project, so that all workers end together.
    projects: [
      {
        ...compiling(),
        test: {
          name: 'one process',
          include: ['test/**/*.test.ts'],
          exclude: ofFeatures.flatMap(({ apart = [] }) => apart),
          ...oneProcess,
          ...timeouts,
        },
      },
      ...ofFeatures.flatMap(({ projects = [] }) =>
        projects.map((project) => ({ ...compiling(), test: { ...timeouts, ...project } })),
      ),
    ],
  },
});
