// The vals that answers carried, to find a val by its name. This is a cache: verify before you write.
import { join } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import type { SeenVal } from './seen-file.ts';

export interface SeenVals {
  note(val: SeenVal): void;
  noteMe(id: string): void;
  drop(id: string): void;
  /** Includes what earlier commands noted. */
  recall(): Promise<Recalled>;
  /** Writes what is new. A failure is ignored, because no command depends on it. */
  save(): Promise<void>;
}

export interface Recalled {
  /** The id of the caller, if an answer told it. */
  me: string | undefined;
  /** Of the service and token in force, the latest last. */
  vals: SeenVal[];
  /** Those that belong to the caller. */
  mine: SeenVal[];
}

/** For a service that is not the one in force: nothing is remembered of it. */
export const noSeenVals: SeenVals = {
  note() {},
  noteMe() {},
  drop() {},
  recall: async () => ({ me: undefined, vals: [], mine: [] }),
  save: async () => {},
};

const longestText = 128;
/** More would not be kept. */
const mostNews = 10_000;

/** The file is read when it is first needed. Without a home directory nothing is kept. */
export function createSeenVals(
  settings: Settings,
  /** Whether a text gives the token away, which is written to no file. */
  holdsSecret: (text: string) => boolean = () => false,
): SeenVals {
  /** What this command learnt; null for a val that is gone. */
  const news = new Map<string, SeenVal | null>();
  let me: string | undefined;

  /** The file with what this command learnt. It is read each time, so that notes of other processes are kept. */
  async function open() {
    const { openSeenFile } = await import('./seen-file.ts');
    const directory = settings.dataDirectory?.value;
    const file = openSeenFile(directory && join(directory, 'seen.tsv'), settings);
    if (me !== undefined) file.noteUser(me);
    for (const [id, val] of news) file.noteVal(id, val);
    return file;
  }

  return {
    note(val) {
      const texts = [val.id, val.name, val.version ?? '', val.owner ?? ''];
      if (texts.some((text) => text.length > longestText || holdsSecret(text)) || news.size >= mostNews)
        return;
      news.set(val.id, val);
    },
    noteMe(id) {
      if (id.length <= longestText && !holdsSecret(id)) me = id;
    },
    drop: (id) => void news.set(id, null),
    async recall() {
      const file = await open();
      const user = file.user();
      const vals = file.vals();
      const isMine = ({ owner, mine }: SeenVal) => mine || (owner !== undefined && owner === user);
      return { me: user, vals, mine: vals.filter(isMine) };
    },
    async save() {
      if (news.size === 0 && me === undefined) return;
      try {
        (await open()).write();
      } catch {
        // Without the file, names are looked up on the service.
      }
    },
  };
}
