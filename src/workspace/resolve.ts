import { type Settings, serviceName } from '../settings/settings.ts';
import { createBases } from './disk/base.ts';
import { nameFrom } from './sources/walk.ts';
import { findVal } from './typed-words.ts';
import { valsOf, withoutId } from './workspace.ts';

export interface WorkspaceNames {
  find(word: string): FoundVal | undefined;
  namesAndFiles: string[];
}

interface FoundVal {
  id: string;
  name: string;
  file: string;
  mayMeanOtherVal: boolean;
}

export function readWorkspaceNames(root: string, settings: Settings): WorkspaceNames {
  const service = serviceName(settings);
  const known = { root, cwd: settings.cwd, service, vals: valsOf(root, service) };
  return {
    find(word) {
      const found = findVal(known, word);
      if (found === undefined) return undefined;
      const { id, name, file } = found;
      const bases = createBases(root, service, [], () => {});
      if (id === undefined) throw withoutId({ service, bases }, found);
      const isNamed = word === id || word === name || nameFrom(file) === name;
      const isKnownFile = () => /[./\\]/.test(word) && bases.read(found)?.name === name;
      return { id, name, file, mayMeanOtherVal: !isNamed && !isKnownFile() };
    },
    namesAndFiles: [...known.vals].flatMap(({ name, file }) => [name, file]),
  };
}
