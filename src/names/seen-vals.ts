// The vals that answers of a service carried: a help to find a val by its name, and never the truth.
import { join } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import type { SeenVal } from './seen-file.ts';

export interface SeenVals {
  note(val: SeenVal): void;
  noteMe(id: string): void;
  drop(id: string): void;
  /** With what was noted earlier, and by earlier commands. */
  recall(): Promise<Recalled>;
  /** Writes what is new; what goes wrong is nothing that a command has to know. */
  save(): Promise<void>;
}

export interface Recalled {
  /** The id of the user in force, where an answer told it. */
  me: string | undefined;
  /** Those of the service and token in force, the latest last. */
  vals: SeenVal[];
  /** Those of them that belong to the user in force. */
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
/** One command need not note more than are kept. */
const mostNews = 10_000;

/** Nothing is read before it is asked for, and nothing is kept where this user has no home. */
export function createSeenVals(
  settings: Settings,
  /** Whether a text gives the token away, which is written to no file. */
  holdsSecret: (text: string) => boolean = () => false,
): SeenVals {
  /** What this command learnt; null: it is gone. */
  const news = new Map<string, SeenVal | null>();
  let me: string | undefined;

  /** With what this command learnt. Read anew each time: what another process noted meanwhile stays, but for the blink of an eye. */
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
        // It is a help: without it a name is looked for on the service.
      }
    },
  };
}
