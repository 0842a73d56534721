// What is to be run: a file that is here, or a val's code from the service, and how far its process may reach.
import { dirname, join, resolve } from 'node:path';
import type { Api } from '../api/api.ts';
import { codeOf, textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { LocalError, UsageError } from '../errors.ts';
import { isFile } from '../lib/is-file.ts';
import type { Settings } from '../settings/settings.ts';
import { foreignPlace, nearestRoot } from '../workspace/disk/root.ts';
import { type Input, readText } from '../workspace/sources/read-text.ts';
import { type KnownVersion, knownVersion } from './known-version.ts';
import type { Entry, Runtime } from './sources.ts';

export interface Target {
  /** The code as it is now. */
  load(): Promise<Entry>;
  /** Its file; undefined for a val of the service. */
  path: string | undefined;
  /** What its process may read of its own; undefined for a val of the service. */
  folder: string | undefined;
  packagesFrom: string;
  /** Of a val of the service: which one it is, where the service says so, and the way there. */
  known?: KnownVersion;
  api?: Api;
}

type Surroundings = Input & { settings: Settings; connect(): Promise<Api> };

export interface Wanted {
  val: string;
  at?: string;
  runtime: Runtime;
}

export async function findTarget(
  surroundings: Surroundings,
  { val: word, at, runtime }: Wanted,
): Promise<Target> {
  if (isFile(resolve(surroundings.settings.cwd, word))) {
    if (at === undefined) return fileTarget(surroundings, word, runtime);
    throw new UsageError(`--at is for a val of the service, and ${word} is a file here.`, {
      hint: 'Leave it out, or name the val by its id.',
    });
  }
  if (/[/\\]|\.[mc]?[jt]sx?$/.test(word)) {
    throw new LocalError(`${word} does not exist.`, { hint: 'Check the path, or name a val.' });
  }
  return serviceTarget(surroundings, word, at, runtime);
}

function fileTarget(surroundings: Surroundings, word: string, runtime: Runtime): Target {
  const path = resolve(surroundings.settings.cwd, word);
  return {
    load: async () => ({
      name: word,
      code: await readText(path, surroundings),
      path,
      packagesFrom: path,
      runtime,
    }),
    path,
    folder: ownFolder(path, surroundings.settings),
    packagesFrom: path,
  };
}

/** With its workspace around it; one of another user is not used, so it opens no more to the val. */
function ownFolder(path: string, settings: Settings): string {
  const root = nearestRoot(dirname(path));
  return root === undefined || foreignPlace(settings, root) !== undefined ? dirname(path) : root;
}

async function serviceTarget(
  surroundings: Surroundings,
  id: string,
  at: string | undefined,
  runtime: Runtime,
): Promise<Target> {
  const api = await surroundings.connect();
  const val = await api.record(at === undefined ? routes.getVal(id) : routes.getVersion(id, at));
  const known = knownVersion(id, at === undefined ? val : { ...val, version: Number(at) });
  const version = at ?? textAt(val, 'version');
  const name = [textAt(val, 'name') ?? id, ...(version === undefined ? [] : [version])].join('@');
  const packagesFrom = join(surroundings.settings.cwd, 'val');
  const entry = { name, code: codeOf(val), path: undefined, packagesFrom, runtime };
  return { load: async () => entry, path: undefined, folder: undefined, packagesFrom, known, api };
}
