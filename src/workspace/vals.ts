import { fold } from './disk/file-names.ts';

export interface WorkspaceVal {
  file: string;
  name: string;
  /** The id that vals.json has. The record of the val may have one too. */
  id: string | undefined;
  otherServices?: string[];
  /** The file that vals.json lists, if the file was moved. */
  movedFrom?: string | undefined;
  /** The moved file has the name of the val and unrelated code, so the record says nothing of it. */
  isNamesake?: true;
}

export interface Vals extends Iterable<WorkspaceVal> {
  ofFile(file: string): WorkspaceVal | undefined;
  ofFoldedFile(folded: string): WorkspaceVal | undefined;
  ofName(name: string): WorkspaceVal | undefined;
  ofId(id: string): WorkspaceVal | undefined;
  set(val: WorkspaceVal): void;
  remove(file: string): void;
}

/** `recordedId` finds the ids that vals.json does not have. */
export function createVals(
  vals: Iterable<WorkspaceVal>,
  recordedId: (val: WorkspaceVal) => string | undefined = () => undefined,
): Vals {
  const byFile = new Map<string, WorkspaceVal>();
  const byName = new Map<string, WorkspaceVal>();
  const byId = new Map<string, WorkspaceVal>();
  let filesByFolded: Map<string, string> | undefined;
  let filesByRecordedId: Map<string, string> | undefined;

  function removeKeys(val: WorkspaceVal): void {
    if (byName.get(val.name) === val) byName.delete(val.name);
    if (val.id !== undefined) byId.delete(val.id);
  }

  function remove(file: string): void {
    const before = byFile.get(file);
    if (before === undefined) return;
    removeKeys(before);
    byFile.delete(file);
    filesByFolded = undefined;
    filesByRecordedId = undefined;
  }

  function set(val: WorkspaceVal): void {
    const before = byFile.get(val.file);
    if (before !== undefined) removeKeys(before);
    byFile.set(val.file, val);
    filesByFolded?.set(fold(val.file), val.file);
    filesByRecordedId = undefined;
    byName.set(val.name, val);
    if (val.id !== undefined) byId.set(val.id, val);
  }

  function withRecordedId(id: string): WorkspaceVal | undefined {
    filesByRecordedId ??= new Map(
      [...byFile.values()].flatMap((val): [string, string][] => {
        const recorded = val.id === undefined ? recordedId(val) : undefined;
        return recorded === undefined ? [] : [[recorded, val.file]];
      }),
    );
    return byFile.get(filesByRecordedId.get(id) ?? '');
  }

  for (const val of vals) set(val);
  return {
    ofFile: (file) => byFile.get(file),
    ofFoldedFile(folded) {
      filesByFolded ??= new Map([...byFile.keys()].map((file) => [fold(file), file]));
      return byFile.get(filesByFolded.get(folded) ?? '');
    },
    ofName: (name) => byName.get(name),
    ofId: (id) => byId.get(id) ?? withRecordedId(id),
    set,
    remove,
    [Symbol.iterator]: () => [...byFile.values()].sort((a, b) => (a.file < b.file ? -1 : 1)).values(),
  };
}
