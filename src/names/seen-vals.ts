// Remembers the vals in answers of the service, to find them by name later. This is a cache: verify before you write.
import { join } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import type { SeenVal } from './seen-file.ts';

export interface SeenVals {
  note(val: SeenVal): void;
  noteMe(id: string): void;
  drop(id: string): void;
  recall(): Promise<Recalled>;
  /** Writes the new notes to the file. A failure is ignored, because no command depends on the file. */
  save(): Promise<void>;
}

export interface Recalled {
  me: string | undefined;
  /** Only vals of the service and the token in use. The val that was seen last is the last one. */
  vals: SeenVal[];
  mine: SeenVal[];
}

/** For a service that is not the one in use. */
export const noSeenVals: SeenVals = {
  note() {},
  noteMe() {},
  drop() {},
  recall: async () => ({ me: undefined, vals: [], mine: [] }),
  save: async () => {},
};

const longestText = 128;
const mostNotes = 10_000;

/** Reads the file only when it is needed. Without a home directory there is no file. */
export function createSeenVals(
  settings: Settings,
  /** Whether a text contains the token. Such a text is never written to the file. */
  holdsSecret: (text: string) => boolean = () => false,
): SeenVals {
  /** By id; null for a deleted val. */
  const notes = new Map<string, SeenVal | null>();
  let me: string | undefined;

  /** Reads the file each time, so that notes of other processes are not lost. */
  async function open() {
    const { openSeenFile } = await import('./seen-file.ts');
    const directory = settings.dataDirectory?.value;
    const file = openSeenFile(directory && join(directory, 'seen.tsv'), settings);
    if (me !== undefined) file.noteUser(me);
    for (const [id, val] of notes) file.noteVal(id, val);
    return file;
  }

  return {
    note(val) {
      const texts = [val.id, val.name, val.version ?? '', val.owner ?? ''];
      if (texts.some((text) => text.length > longestText || holdsSecret(text)) || notes.size >= mostNotes)
        return;
      notes.set(val.id, val);
    },
    noteMe(id) {
      if (id.length <= longestText && !holdsSecret(id)) me = id;
    },
    drop: (id) => void notes.set(id, null),
    async recall() {
      const file = await open();
      const user = file.user();
      const vals = file.vals();
      const isMine = ({ owner, mine }: SeenVal) => mine || (owner !== undefined && owner === user);
      return { me: user, vals, mine: vals.filter(isMine) };
    },
    async save() {
      if (notes.size === 0 && me === undefined) return;
      try {
        (await open()).write();
      } catch {
        // Without the file, names are looked up on the service.
      }
    },
  };
}
