// From a name or a file to the val on the service in force, as vals.json has it.
import { serviceName } from '../settings/chosen-service.ts';
import type { Settings } from '../settings/settings.ts';
import { createBases } from './disk/base.ts';
import { findVal, valsOf, withoutId } from './workspace.ts';

export interface WorkspaceNames {
  /** Undefined if the workspace has no such val. */
  find(word: string): { id: string; name: string } | undefined;
  /** All names and files. */
  all: string[];
}

export function readWorkspaceNames(root: string, settings: Settings): WorkspaceNames {
  const service = serviceName(settings);
  const known = { root, cwd: settings.cwd, service, vals: valsOf(root, service) };
  return {
    find(word) {
      const found = findVal(known, word);
      if (found === undefined) return undefined;
      const { id, name } = found;
      if (id !== undefined) return { id, name };
      throw withoutId({ service, bases: createBases(root, service, [], () => {}) }, found);
    },
    all: [...known.vals].flatMap(({ name, file }) => [name, file]),
  };
}
