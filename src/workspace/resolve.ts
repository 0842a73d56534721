// From a name or a file to the id of the val on the service in force, as the workspace has it.
import { serviceName } from '../settings/chosen-service.ts';
import type { Settings } from '../settings/settings.ts';
import { createAgreedStore } from './disk/agreed.ts';
import { findVal, valsOf, withoutId } from './workspace.ts';

export interface WorkspaceNames {
  /** Undefined where the workspace knows no such val. */
  idOf(word: string): string | undefined;
  /** All names and files. */
  all: string[];
}

export function readWorkspaceNames(root: string, settings: Settings): WorkspaceNames {
  const service = serviceName(settings);
  const known = { root, cwd: settings.cwd, service, vals: valsOf(root, service) };
  return {
    idOf(word) {
      const found = findVal(known, word);
      if (found !== undefined && found.id === undefined) {
        throw withoutId({ service, agreed: createAgreedStore(root, service, [], () => {}) }, found);
      }
      return found?.id;
    },
    all: [...known.vals].flatMap(({ name, file }) => [name, file]),
  };
}
