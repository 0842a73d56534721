// What a file held before it was overwritten on request. Nothing here is ever deleted by us.
import { ConflictError } from '../../errors.ts';
import { prepareDotVals } from './dot-vals.ts';
import { dotValsFolder, replaceBelow } from './files.ts';

/** Returns where it is kept. */
export function keepBackup(root: string, file: string, content: string): string {
  const time = new Date().toISOString().replaceAll(':', '-');
  prepareDotVals(root);
  for (let attempt = 0; ; attempt++) {
    const place = `${dotValsFolder}/backup/${time}${attempt === 0 ? '' : `-${attempt}`}/${file}`;
    try {
      replaceBelow(root, place, content, { content: undefined });
      return place;
    } catch (error) {
      // Two in one millisecond.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
