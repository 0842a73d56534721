import { ConflictError } from '../../errors.ts';
import { prepareDotVals } from './dot-vals.ts';
import { dotValsFolder } from './root.ts';
import { replaceBelow } from './write-files.ts';

export interface Backup {
  keep(file: string, content: string): void;
  readonly files: readonly string[];
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
          // Perhaps nobody else may read the file, or the folder of the file.
          replaceBelow(root, `${folder()}/${file}`, content, { content: undefined }, { mode: 0o600 });
          files.push(file);
          return;
        } catch (error) {
          if (!(error instanceof ConflictError) || files.length > 0) throw error;
        }
      }
    },
  };
}
