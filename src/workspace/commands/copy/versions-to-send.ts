import { ConflictError, type ErrorFacts } from '../../../core/errors.ts';
import type { Api } from '../../../core/http/api.ts';
import { codeOf as codeOfRecord } from '../../../core/http/record-fields.ts';
import { listVersions } from '../../../core/http/versions.ts';
import * as routes from '../../../core/routes.ts';
import { codeOf } from '../../code.ts';
import { versionWith } from '../../versions.ts';
import type { Target, ValThere } from './copy-target.ts';
import type { CopyOptions, Original } from './copy-val.ts';

export type ReadCode = () => Promise<string>;

interface Version {
  /** As services send it in `codeHash`. */
  hash: string;
  readCode: ReadCode;
}

/** What the target lacks, oldest first. Throws if the target has code that must not be replaced. */
export async function versionsToSend(
  original: Original,
  there: ValThere | undefined,
  { from, target, versions, force }: CopyOptions,
): Promise<ReadCode[]> {
  if (versions) return laterVersions(original, there, { from, target, force });
  if (there?.code === original.code) return [];
  const mayReplace = there === undefined || force || (await hasVersion(from, original, there.code));
  if (!mayReplace) throw conflict(original, 'has different code', target);
  return [async () => original.code];
}

async function hasVersion(api: Api, { id }: Original, code: string): Promise<boolean> {
  const version = await versionWith(api, { id, version: undefined }, codeOf(code), Number.POSITIVE_INFINITY);
  return version !== undefined;
}

async function laterVersions(
  original: Original,
  there: ValThere | undefined,
  { from, target, force }: Pick<CopyOptions, 'from' | 'target' | 'force'>,
): Promise<ReadCode[]> {
  const here = await distinctVersions(from, original.id);
  const after = (index: number) => here.slice(index).map(({ readCode }) => readCode);
  if (there === undefined) return after(0);
  const copied = await distinctVersions(target.api, there.id);
  const different = copied.findIndex(({ hash }, index) => hash !== here[index]?.hash);
  if (different === -1) return after(copied.length);
  const last = here.findLastIndex(({ hash }) => hash === codeOf(there.code).blob);
  if (last === -1 && !force) throw conflict(original, 'has different code', target);
  return after(last === -1 ? different : last + 1);
}

/** Equal versions in a row count as one, since services collapse them. The last one has the current code. */
async function distinctVersions(api: Api, id: string): Promise<Version[]> {
  const versions: Version[] = [];
  const add = (version: Version) => {
    if (version.hash !== versions.at(-1)?.hash) versions.push(version);
  };
  for (const { number, codeHash } of await listVersions(api, id)) {
    const readCode = async () => codeOfRecord(await api.record(routes.getVersion(id, number)));
    add({ hash: codeHash ?? codeOf(await readCode()).blob, readCode });
  }
  // This is read after the list, so that it is never older.
  const current = codeOfRecord(await api.record(routes.getVal(id)));
  add({ hash: codeOf(current).blob, readCode: async () => current });
  return versions;
}

export const conflict = (
  { id, name }: Original,
  problem: string,
  target: Target,
  facts: ErrorFacts = {},
): ConflictError =>
  new ConflictError(`${name} ${problem} on ${target.name}.`, {
    ...facts,
    hint: [
      {
        text: 'To see the code there',
        command: 'val get',
        input: { val: name, code: true, baseUrl: target.name },
      },
      {
        text: 'To overwrite it',
        command: 'copy',
        input: { vals: [id], to: target.name, force: true },
      },
    ],
  });
