import { join } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import type { SeenVal } from './seen-file.ts';

export interface SeenVals {
  note(val: SeenVal): void;
  noteMe(id: string): void;
  drop(id: string): void;
  /** Reads the file on each call, because other processes may have changed the file. */
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
  const file = settings.dataDirectory && join(settings.dataDirectory.value, 'seen.tsv');
  let me: string | undefined;

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
      const { readSeen } = await import('./seen-file.ts');
      const seen = readSeen(file, settings, { me, vals: notes });
      // Not every service says who owns a val.
      const isMine = ({ owner = seen.me, mine }: SeenVal) => mine || owner === seen.me;
      return { ...seen, mine: seen.vals.filter(isMine) };
    },
    async save() {
      if (file === undefined || (notes.size === 0 && me === undefined)) return;
      try {
        const { writeSeen } = await import('./seen-file.ts');
        writeSeen(file, settings, { me, vals: notes });
      } catch {
        // The file is only a cache, so a failed write does no harm.
      }
    },
  };
}
