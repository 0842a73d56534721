// Keeps the content of files that are overwritten on request, in one folder per command. We never delete it.
import { ConflictError } from '../../errors.ts';
import { prepareDotVals } from './dot-vals.ts';
import { dotValsFolder, replaceBelow } from './files.ts';

export interface Backup {
  keep(file: string, content: string): void;
  /** The files that it keeps. */
  readonly files: readonly string[];
  /** The folder they are in. */
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
          // Another command began in the same millisecond.
          if (!(error instanceof ConflictError) || files.length > 0) throw error;
        }
      }
    },
  };
}
