// A version of a val on the service.
import { textAt } from '../api/records.ts';
import type { JsonObject } from '../lib/json.ts';

export interface KnownVersion {
  id: string;
  name: string | undefined;
  version: string;
}

/** Undefined if the service does not say which version it sent. */
export function knownVersion(id: string, val: JsonObject): KnownVersion | undefined {
  const version = textAt(val, 'version');
  if (version === undefined) return undefined;
  return { id: textAt(val, 'id') ?? id, name: textAt(val, 'name'), version };
}
