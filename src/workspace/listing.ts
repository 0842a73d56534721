// The vals that vals.json lists, with what this command will write into it.
import { LocalError } from '../errors.ts';
import { warnWith } from '../lib/say.ts';
import { chosenService, isOfThisMachine, serviceName } from '../settings/settings.ts';
import { stampOf } from './disk/files.ts';
import { applyChanges, type ManifestChange } from './disk/manifest-changes.ts';
import { readManifest, updateManifest, type WorkspaceContext } from './disk/manifest-file.ts';
import { manifestFile } from './disk/root.ts';
import type { OwnFolder } from './records/own-folder.ts';
import { createRecordedIds } from './records/recorded-ids.ts';
import { type Records, withName } from './records/val-records.ts';
import { createVals, type Vals, type WorkspaceVal } from './vals.ts';

interface Listing {
  vals(): Vals;
  /** The id that vals.json or the record has. */
  idOf(val: WorkspaceVal): string | undefined;
  /** vals.json gets the name and the id at the end of the command. */
  remember(val: WorkspaceVal, idBefore?: string): void;
  save(): Promise<LocalError | undefined>;
}

interface KnownOfWorkspace {
  own: OwnFolder;
  openRecords(): Records;
}

export function createListing(
  root: string,
  context: WorkspaceContext,
  { own, openRecords }: KnownOfWorkspace,
): Listing {
  const { settings } = context;
  /** What vals.json lacks. If vals.json cannot be written, the next save tries again. */
  const changes = new Map<string, ManifestChange>();
  const recordedId = (val: WorkspaceVal) =>
    chosenService(settings) === undefined ? undefined : openRecords().of(val)?.id;
  const vals = createManifestView(root, () => {
    const read = createVals(valsOf(root, own, chosenService(settings)), recordedId);
    for (const change of changes.values()) addTo(read, change);
    return read;
  });

  return {
    vals,
    idOf: (val) => val.id ?? recordedId(val),
    remember({ file, name, id: givenId, movedFrom }, idBefore) {
      // The id on a service of this machine is in the record.
      const id = isOfThisMachine(serviceName(settings)) ? undefined : givenId;
      const known = vals().ofFile(file);
      if (known?.name === name && known.id === id) return;
      const isRenamed = (known !== undefined && known.name !== name) || changes.get(file)?.isRenamed;
      const change = { file, name, id, idBefore, movedFrom, isRenamed };
      changes.set(file, change);
      addTo(vals(), change);
    },
    async save() {
      if (changes.size === 0) return undefined;
      const unsaved = new Map(changes);
      try {
        await updateManifest(root, context, (content) =>
          applyChanges(content, serviceName(settings), [...unsaved.values()], warnWith(context.say)),
        );
      } catch (error) {
        if (error instanceof LocalError) return error;
        throw error;
      }
      for (const [file, change] of unsaved) {
        // A val may have changed again meanwhile.
        if (changes.get(file) === change) changes.delete(file);
        if (change.isRenamed) recordName(openRecords(), vals().ofFile(file));
      }
      return undefined;
    },
  };
}

function addTo(vals: Vals, { file, name, id, movedFrom }: ManifestChange): void {
  if (movedFrom !== undefined) vals.remove(movedFrom);
  vals.set({ file, name, id });
}

/**
 * Runs after vals.json got the new name. If the record got the new name first, then after a crash the old name in
 * vals.json would look like a rename by the user, and the next push would undo the rename on the service.
 */
function recordName(records: Records, val: WorkspaceVal | undefined): void {
  const record = val && records.of(val);
  if (val !== undefined && record !== undefined) records.write(withName(record, val.name));
}

/** Reads vals.json again if somebody has changed it. */
function createManifestView(root: string, read: () => Vals): () => Vals {
  let known: { stamp: string | undefined; vals: Vals } | undefined;
  return () => {
    const stamp = stampOf(root, manifestFile);
    if (known === undefined || known.stamp !== stamp) known = { stamp, vals: read() };
    return known.vals;
  };
}

/** Without a service, the vals have no ids. */
function valsOf(root: string, own: OwnFolder, service: string | undefined): WorkspaceVal[] {
  const entries = readManifest(root).vals;
  if (service === undefined) return [...entries].map(([file, { name }]) => ({ file, name, id: undefined }));
  const recorded = createRecordedIds(own, service, (file) => entries.has(file));
  return [...entries].map(([file, { name, ids }]) => {
    const known = new Map([...ids, ...recorded.elsewhere({ file, name })]);
    const isElsewhere = known.size > 0 && !known.has(service) && !recorded.has(file);
    const id = ids.get(service) ?? (isElsewhere ? idAtOrigin(service, known) : undefined);
    return { file, name, id, ...(isElsewhere && { otherServices: [...known.keys()] }) };
  });
}

/** Another path of the same origin, such as a space, is another owner of the same vals. */
const idAtOrigin = (service: string, ids: ReadonlyMap<string, string>): string | undefined =>
  [...ids].find(([other]) => haveSameOrigin(other, service))?.[1];

export const haveSameOrigin = (service: string, other: string): boolean =>
  originOf(service) === originOf(other);

function originOf(service: string): string {
  return URL.canParse(service) ? new URL(service).origin : service;
}
