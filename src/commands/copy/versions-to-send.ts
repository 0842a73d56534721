import type { Api } from '../../api/api.ts';
import { codeOf } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import { listVersions } from '../../api/versions.ts';
import { ConflictError, type ErrorFacts } from '../../errors.ts';
import { blobId } from '../../lib/blob-id.ts';
import { once } from '../../lib/once.ts';
import type { Target, ValThere } from './copy-target.ts';
import type { CopyOptions, Original } from './copy-val.ts';

export interface Version {
  readCode(): Promise<string>;
  /** Reads the code if the list of the service has no hashes. */
  hash(): Promise<string>;
}

/** What the target lacks, oldest first. Throws if the target has code that must not be replaced. */
export async function versionsToSend(
  original: Original,
  there: ValThere | undefined,
  { from, target, versions, force }: CopyOptions,
): Promise<Version[]> {
  if (!versions) {
    if (there?.code === original.code) return [];
    const mayReplace =
      there === undefined ||
      force ||
      (await lastWith(there.code, await versionsOf(from, original.id))) !== -1;
    if (!mayReplace) throw conflict(original.name, 'has different code', target);
    return [versionWith(original.code)];
  }
  const here = await distinctVersions(from, original.id);
  if (there === undefined) return here;
  const copied = await distinctVersions(target.api, there.id);
  const common = await commonLength(here, copied);
  if (common === copied.length) return here.slice(common);
  const last = await lastWith(there.code, here);
  if (last === -1 && !force) throw conflict(original.name, 'has different code', target);
  return here.slice(last === -1 ? common : last + 1);
}

/** The newest versions are the most likely ones. */
async function lastWith(code: string, versions: readonly Version[]): Promise<number> {
  const hash = hashOf(code);
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

/** Equal versions in a row count as one, since services collapse them. The last one has the current code. */
async function distinctVersions(api: Api, id: string): Promise<Version[]> {
  const listed = await versionsOf(api, id);
  // This is read after the list, so that it is never older.
  const current = versionWith(codeOf(await api.record(routes.getVal(id))));
  const versions: Version[] = [];
  let last: string | undefined;
  for (const version of [...listed, current]) {
    const hash = await version.hash();
    if (hash !== last) versions.push(version);
    last = hash;
  }
  return versions;
}

async function versionsOf(api: Api, id: string): Promise<Version[]> {
  const versions = await listVersions(api, id);
  return versions.map(({ number, codeHash }) => {
    const readCode = async () => codeOf(await api.record(routes.getVersion(id, number)));
    return { readCode, hash: once(async () => codeHash ?? hashOf(await readCode())) };
  });
}

const versionWith = (code: string): Version => ({
  readCode: async () => code,
  hash: async () => hashOf(code),
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
