// What files held before they were overwritten on request, in one folder for each command. Nothing here is ever deleted by us.
import { ConflictError } from '../../errors.ts';
import { prepareDotVals } from './dot-vals.ts';
import { dotValsFolder, replaceBelow } from './files.ts';

export interface Backup {
  keep(file: string, content: string): void;
  /** The files that it has. */
  readonly files: readonly string[];
  /** Where they are. */
  readonly folder: string;
}

export function createBackup(root: string): Backup {
  const time = new Date().toISOString().replaceAll(':', '-');
  const files: string[] = [];
  let attempt = 0;
  const folder = () => `${dotValsFolder}/backup/${time}${attempt === 0 ? '' : `-${attempt}`}`;
  return {
    files,
    get folder() {
      return folder();
    },
    keep(file, content) {
      prepareDotVals(root);
      for (; ; attempt++) {
        try {
          replaceBelow(root, `${folder()}/${file}`, content, { content: undefined });
          files.push(file);
          return;
        } catch (error) {
          // Another command of the same millisecond.
          if (!(error instanceof ConflictError) || files.length > 0) throw error;
        }
      }
    },
  };
}
