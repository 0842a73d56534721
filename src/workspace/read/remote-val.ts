// A val on the service, as one command has read it.
import type { ListedVersion } from '../../core/http/versions.ts';
import { type Code, type CodeHash, hasSameCode } from '../code.ts';

/** What is known of the val of a name. */
export type Remote =
  | { kind: 'none' }
  /** The service cannot list vals, and no val of this name is known. There may be one. */
  | { kind: 'unknown' }
  | RemoteVal;

export interface RemoteVal {
  kind: 'val';
  id: string;
  name: string;
  version: number | undefined;
  /** Its hash alone, if only a list told it. */
  code: Code | CodeHash;
  /** When the version was made, and by whom. */
  madeAt: string | undefined;
  madeBy: string | undefined;
  etag: string | undefined;
  /** Undefined if it is the caller's. */
  owner: string | undefined;
}

export interface ValWithCode extends RemoteVal {
  code: Code;
}

/** The val is as it was compared. Where it tells no version, its code tells. */
export const isSameState = (now: RemoteVal, before: RemoteVal): boolean =>
  now.owner === undefined &&
  now.name === before.name &&
  (now.version === undefined || now.version === before.version) &&
  hasSameCode(now.code, before.code);

/** What one command has asked the service: each val and each list of versions is read once. */
export interface Reads {
  /** The ids that the user gave, by the names of their files. */
  chosen: Map<string, string>;
  vals: Map<string, Promise<ValWithCode | undefined>>;
  /** By the ids of the vals. Undefined if the service does not show them to the caller. */
  versions: Map<string, Promise<ListedVersion[] | undefined>>;
  /** The caller's vals that this machine has seen. */
  seen: Promise<readonly { id: string; name: string }[]> | undefined;
  /** Vals that vals.json has under an earlier name, by their present names. */
  renamed: Promise<ReadonlyMap<string, RemoteVal>> | undefined;
}

export const newReads = (): Reads => ({
  chosen: new Map(),
  vals: new Map(),
  versions: new Map(),
  seen: undefined,
  renamed: undefined,
});
