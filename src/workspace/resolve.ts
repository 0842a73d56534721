// From a name or a file to the id of the val on the service in force.
import { serviceName } from '../settings/chosen-service.ts';
import type { Settings } from '../settings/settings.ts';
import { createAgreedStore } from './disk/agreed.ts';
import { findVal, unknownVal, valsOf, withoutId } from './workspace.ts';

export function createResolver(root: string, settings: Settings): (word: string) => string {
  const service = serviceName(settings);
  const known = { root, cwd: settings.cwd, service, vals: valsOf(root, service) };
  return (word) => {
    const found = findVal(known, word);
    if (found === undefined) throw unknownVal(known, word);
    if (found.id === undefined) {
      throw withoutId({ service, agreed: createAgreedStore(root, service, [], () => {}) }, found);
    }
    return found.id;
  };
}
