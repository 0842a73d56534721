// Remembers the vals in the service's answers, so that later commands find the vals by name. This is a cache: verify
// before you write.
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
  /** Contains only vals of the service and the token in use, the newest last. */
  vals: SeenVal[];
  mine: SeenVal[];
}

/** Remembers nothing. Used for a service other than the service in use. */
export const noSeenVals: SeenVals = {
  note() {},
  noteMe() {},
  drop() {},
  recall: async () => ({ me: undefined, vals: [], mine: [] }),
  save: async () => {},
};

const longestText = 128;
const mostNotes = 10_000;

/** Reads the file only when a command needs it. Without a home directory there is no file. */
export function createSeenVals(
  settings: Settings,
  /** Returns true if the text contains the token. Such a text is never written to the file. */
  holdsSecret: (text: string) => boolean = () => false,
): SeenVals {
  /** Maps an id to its val. A deleted val is null. */
  const notes = new Map<string, SeenVal | null>();
  let me: string | undefined;

  /** Reads the file at each call, so that the notes of other processes are not lost. */
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
        // Without the file, commands look up names on the service.
      }
    },
  };
}
