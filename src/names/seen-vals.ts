import { join } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import type { SeenVal } from './seen-file.ts';

export interface SeenVals {
  note(val: SeenVal): void;
  noteMe(id: string): void;
  drop(id: string): void;
  recall(): Promise<Recalled>;
  save(): Promise<void>;
}

interface Recalled {
  me: string | undefined;
  vals: SeenVal[];
  mine: SeenVal[];
}

export const noSeenVals: SeenVals = {
  note() {},
  noteMe() {},
  drop() {},
  recall: async () => ({ me: undefined, vals: [], mine: [] }),
  save: async () => {},
};

const mostNotes = 10_000;

export function createSeenVals(
  settings: Settings,
  holdsSecret: (text: string) => boolean = () => false,
): SeenVals {
  const notes = new Map<string, SeenVal | 'deleted'>();
  let me: string | undefined;

  /** Reads the file on each call, because other processes may have changed the file. */
  async function open() {
    const { openSeenFile } = await import('./seen-file.ts');
    const { dataDirectory } = settings;
    const file = openSeenFile(dataDirectory && join(dataDirectory.value, 'seen.tsv'), settings);
    if (me !== undefined) file.noteUser(me);
    for (const [id, note] of notes) {
      if (note === 'deleted') file.dropVal(id);
      else file.noteVal(note);
    }
    return file;
  }

  return {
    note(val) {
      const texts = [val.id, val.name, val.owner ?? ''];
      if (texts.some(holdsSecret) || notes.size >= mostNotes) return;
      notes.set(val.id, val);
    },
    noteMe(id) {
      if (!holdsSecret(id)) me = id;
    },
    drop: (id) => void notes.set(id, 'deleted'),
    async recall() {
      const file = await open();
      const user = file.user();
      const vals = file.valsNewestLast();
      const isMine = ({ owner, mine }: SeenVal) => mine || (owner !== undefined && owner === user);
      return { me: user, vals, mine: vals.filter(isMine) };
    },
    async save() {
      if (notes.size === 0 && me === undefined) return;
      try {
        (await open()).write();
      } catch {
        // The file is only a cache, so a failed write does no harm.
      }
    },
  };
}
