import { fold } from './disk/file-names.ts';

export interface WorkspaceVal {
  file: string;
  name: string;
  id: string | undefined;
  otherServices?: string[];
}

export interface Vals extends Iterable<WorkspaceVal> {
  ofFile(file: string): WorkspaceVal | undefined;
  ofFoldedFile(folded: string): WorkspaceVal | undefined;
  ofName(name: string): WorkspaceVal | undefined;
  ofId(id: string): WorkspaceVal | undefined;
  set(val: WorkspaceVal): void;
}

export function createVals(vals: Iterable<WorkspaceVal>): Vals {
  const byFile = new Map<string, WorkspaceVal>();
  const byName = new Map<string, WorkspaceVal>();
  const byId = new Map<string, WorkspaceVal>();
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
