// The vals of a workspace, found by file, name or id without a look at all the others.

import { fold } from './disk/file-names.ts';

/** A val of the workspace. */
export interface WorkspaceVal {
  /** Relative to the root, with / between its parts. */
  file: string;
  name: string;
  /** On the service in force, or of another owner there; undefined where it was never seen there. */
  id: string | undefined;
  /** The services that it was pushed to, if the service in force is none of them. */
  others?: string[];
}

/** In the order of their files. */
export interface Vals extends Iterable<WorkspaceVal> {
  ofFile(file: string): WorkspaceVal | undefined;
  /** By the folded form of its file, in which spellings are alike that some systems take for one. */
  ofFoldedFile(folded: string): WorkspaceVal | undefined;
  ofName(name: string): WorkspaceVal | undefined;
  ofId(id: string): WorkspaceVal | undefined;
  /** Puts it in the place of the one that had its file. */
  set(val: WorkspaceVal): void;
}

export function createVals(vals: Iterable<WorkspaceVal>): Vals {
  const byFile = new Map<string, WorkspaceVal>();
  const byName = new Map<string, WorkspaceVal>();
  const byId = new Map<string, WorkspaceVal>();
  /** Made when it is first asked for. */
  let filesByFolded: Map<string, string> | undefined;

  function set(val: WorkspaceVal): void {
    const before = byFile.get(val.file);
    if (before !== undefined && byName.get(before.name) === before) byName.delete(before.name);
    if (before?.id !== undefined) byId.delete(before.id);
    byFile.set(val.file, val);
    filesByFolded?.set(fold(val.file), val.file);
    byName.set(val.name, val);
    if (val.id !== undefined) byId.set(val.id, val);
  }

  for (const val of vals) set(val);
  return {
    ofFile: (file) => byFile.get(file),
    ofFoldedFile(folded) {
      filesByFolded ??= new Map([...byFile.keys()].map((file) => [fold(file), file]));
      return byFile.get(filesByFolded.get(folded) ?? '');
    },
    ofName: (name) => byName.get(name),
    ofId: (id) => byId.get(id),
    set,
    [Symbol.iterator]: () => [...byFile.values()].sort((a, b) => (a.file < b.file ? -1 : 1)).values(),
  };
}
