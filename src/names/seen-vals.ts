// The vals that answers of a service carried: a help to find a val by its name, and never the truth.
import { join } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import type { Known, SeenVal } from './seen-file.ts';

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

const longestText = 128;
/** One command need not note more than are kept. */
const mostNews = 10_000;

/** Nothing is read before it is asked for, and nothing is kept where this user has no home. */
export function createSeenVals(settings: Settings): SeenVals {
  /** What this command learnt; null: it is gone. */
  const news = new Map<string, SeenVal | null>();
  let me: string | undefined;
  const place = () => settings.dataDirectory && join(settings.dataDirectory.value, 'seen.json');

  /** Whether anything changed by it. */
  function addNews(to: Known): boolean {
    let isChanged = me !== undefined && to.me !== me;
    to.me = me ?? to.me;
    for (const [id, val] of news) {
      const before = to.vals.get(id);
      if (val === null ? before === undefined : isSame(before, val)) continue;
      isChanged = true;
      to.vals.delete(id);
      if (val !== null) to.vals.set(id, before?.mine ? { ...val, mine: true } : val);
    }
    return isChanged;
  }

  return {
    note(val) {
      const texts = [val.id, val.name, val.version ?? '', val.owner ?? ''];
      if (texts.some((text) => text.length > longestText) || news.size >= mostNews) return;
      news.set(val.id, val);
    },
    noteMe(id) {
      if (id.length <= longestText) me = id;
    },
    drop: (id) => void news.set(id, null),
    async recall() {
      const { keyOf, read } = await import('./seen-file.ts');
      const file = place();
      const known: Known = (file && read(file).get(keyOf(settings))) || { vals: new Map() };
      addNews(known);
      const vals = [...known.vals.values()];
      const isMine = ({ owner, mine }: SeenVal) => mine || (owner !== undefined && owner === known.me);
      return { me: known.me, vals, mine: vals.filter(isMine) };
    },
    async save() {
      if (news.size === 0 && me === undefined) return;
      try {
        const file = place();
        if (file === undefined) return;
        const { keyOf, read, write } = await import('./seen-file.ts');
        // Read anew: what another process noted meanwhile stays, but for the blink of an eye.
        const everything = read(file);
        const key = keyOf(settings);
        const known = everything.get(key) ?? { vals: new Map() };
        if (!addNews(known)) return;
        everything.delete(key);
        everything.set(key, known);
        write(file, everything);
      } catch {
        // It is a help: without it a name is looked for on the service.
      }
    },
  };
}

const isSame = (before: SeenVal | undefined, { name, version, owner, mine }: SeenVal): boolean =>
  before !== undefined &&
  before.name === name &&
  before.version === version &&
  before.owner === owner &&
  (mine === undefined || before.mine === true);
