import type { Api } from '../../api/api.ts';
import { codeOf } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import { listVersions } from '../../api/versions.ts';
import { BadResponseError, ConflictError, type ErrorFacts } from '../../errors.ts';
import { blobId } from '../../lib/blob-id.ts';
import { once } from '../../lib/once.ts';
import type { Target, ValThere } from './copy-target.ts';
import type { CopyOptions, Original } from './copy-val.ts';

interface Version {
  /** Reads the code if the list of the service has no hashes. */
  hash(): Promise<string>;
  readCode(): Promise<string>;
}

/** Yields the codes that the target lacks, oldest first. Throws if the target has code that must not be replaced. */
export async function* codesToSend(
  original: Original,
  there: ValThere | undefined,
  options: CopyOptions,
): AsyncGenerator<string, undefined> {
  if (options.versions) {
    for (const { readCode } of await missingVersions(original, there, options)) yield await readCode();
    return undefined;
  }
  if (there?.code === original.code) return undefined;
  const isChangedThere = there && !options.force && !(await isVersionOf(original, there, options));
  if (isChangedThere) throw conflict(original.name, 'has different code', options.target);
  yield original.code;
  return undefined;
}

/** The target has an older copy if its code is that of any version here. The newest ones are the most likely ones. */
async function isVersionOf({ id }: Original, there: ValThere, { from }: CopyOptions): Promise<boolean> {
  const versions = await versionsOf(from, id);
  return (await lastWith(hashOf(there.code), versions)) !== -1;
}

async function missingVersions(
  original: Original,
  there: ValThere | undefined,
  { from, target, force }: CopyOptions,
): Promise<Version[]> {
  const versionsHere = await distinctVersions(from, original);
  if (there === undefined) return versionsHere;
  const versionsThere = await distinctVersions(target.api, there);
  const common = await commonLength(versionsHere, versionsThere);
  if (common === versionsThere.length) return versionsHere.slice(common);
  if (there.code === original.code) return [];
  const copied = await lastWith(hashOf(there.code), versionsHere);
  if (copied !== -1) return versionsHere.slice(copied + 1);
  if (!force) throw conflict(original.name, 'has different code', target);
  return versionsHere.slice(common);
}

async function lastWith(hash: string, versions: readonly Version[]): Promise<number> {
  for (const [index, version] of [...versions.entries()].reverse()) {
    if ((await version.hash()) === hash) return index;
  }
  return -1;
}

async function commonLength(here: readonly Version[], there: readonly Version[]): Promise<number> {
  for (const [index, version] of there.entries()) {
    if ((await version.hash()) !== (await here[index]?.hash())) return index;
  }
  return there.length;
}

/**
 * Equal versions in a row count as one. The last one has the current code of the val. That is not always the last listed
 * version: some services can go back to an older version, list no versions, or list versions without numbers.
 */
async function distinctVersions(api: Api, { id, code }: Pick<Original, 'id' | 'code'>): Promise<Version[]> {
  const versions: Version[] = [];
  let last: string | undefined;
  for (const version of await versionsOf(api, id)) {
    const hash = await version.hash();
    if (hash !== last) versions.push(version);
    last = hash;
  }
  if (hashOf(code) === last) return versions;
  // The val may have a new version since its code was read.
  const current = codeOf(await api.record(routes.getVal(id)));
  const hash = hashOf(current);
  if (hash === last) return versions;
  return [...versions, { hash: async () => hash, readCode: async () => current }];
}

async function versionsOf(api: Api, id: string): Promise<Version[]> {
  const { versions, invalid } = await listVersions(api, id);
  if (invalid.length > 0) throw notANumber(invalid[0]);
  return versions.map(({ number, codeHash }) => {
    const readCode = async () => codeOf(await api.record(routes.getVersion(id, number)));
    return { readCode, hash: once(async () => codeHash ?? hashOf(await readCode())) };
  });
}

const notANumber = (version: unknown): BadResponseError =>
  new BadResponseError(`The service sent an invalid version number: ${JSON.stringify(version)}.`, {
    hint: 'Report this to the person who runs the service.',
  });

/** As services send it in `codeHash`. */
const hashOf = (code: string): string => blobId(Buffer.from(code));

export const conflict = (
  name: string,
  problem: string,
  target: Target,
  facts: ErrorFacts = {},
): ConflictError =>
  new ConflictError(`${name} ${problem} on ${target.name}.`, {
    ...facts,
    hint: { text: 'To overwrite the val', input: { force: true } },
  });
