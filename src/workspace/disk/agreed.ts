// The code last agreed on with one service: what both sides are compared with.

import { largest } from '../../lib/file-sizes.ts';
import { isObject, type JsonValue, parseJson, stringifyJson } from '../../lib/json.ts';
import { hashOf } from '../text/hash.ts';
import { prepareDotVals } from './dot-vals.ts';
import { dotValsFolder, existsBelow, readBelow, removeBelow, replaceBelow } from './files.ts';

export interface Agreed {
  code: string;
  /** As the service sent it, where it did. */
  version: JsonValue | undefined;
  /** When the service's side changed last, where that is known. */
  changedAt?: string | undefined;
  /** The hash of code that was sent without an answer: found on the service, it is ours. */
  sent?: string;
}

/** A val on its service: by its id or, where the service did not tell one, by its name. */
interface Identity {
  id?: string | undefined;
  name: string;
}

export interface AgreedStore {
  /** Undefined where nothing was agreed on, or where that cannot be read any more. */
  read(val: Identity): Agreed | undefined;
  /**
   * Whether the file is the newer side where nothing was agreed on: it came with a fresh checkout, whose first push
   * plainly sends. A val that others added since may have edits there that were not seen here.
   */
  trustsFile(id: string): boolean;
  /** Makes the folder, and notes which vals came with the checkout. */
  prepare(): void;
  write(val: Identity, agreed: Agreed): void;
  /** What was kept by a name is not needed once the id is known, and would be old some day. */
  forgetName(name: string): void;
}

/** The ids are those that the workspace has for the service. */
export function createAgreedStore(
  root: string,
  service: string,
  ids: readonly string[],
  warn: (message: string) => void,
): AgreedStore {
  const folder = `${dotValsFolder}/agreed/${readable(service)}-${hashOf(service).slice(0, 8)}`;
  // An id comes from a service, so it is not trusted to be a file's name.
  const fileOf = (key: string) => `${folder}/${/^[\da-z-]{1,64}$/.test(key) ? key : hashOf(key)}.json`;
  const keyOf = ({ id, name }: Identity) => id ?? nameKey(name);
  const checkoutFile = `${folder}/checkout.json`;
  const isFresh = !existsBelow(root, folder);
  const cameWithCheckout = new Set(isFresh ? ids : readIds());
  let isPrepared = false;
  const readByName = new Set<string>();

  function prepare(): void {
    if (isPrepared) return;
    prepareDotVals(root);
    if (isFresh) replaceBelow(root, checkoutFile, `${stringifyJson([...ids])}\n`, 'anything');
    isPrepared = true;
  }

  return {
    prepare,
    trustsFile: (id) => cameWithCheckout.has(id),
    read(val) {
      const key = keyOf(val);
      const file = fileOf(key);
      // Of most vals without an id there is nothing, and to look costs less than the error of a file that is missing.
      if (val.id === undefined && !existsBelow(root, file)) return undefined;
      const agreed = parseAgreed(key, file);
      if (agreed === 'unreadable') {
        warn(`${file} cannot be read, so nothing is known of what was agreed on.`);
        return undefined;
      }
      if (agreed !== undefined && val.id === undefined) readByName.add(val.name);
      return agreed;
    },
    forgetName(name) {
      if (readByName.delete(name)) removeBelow(root, fileOf(nameKey(name)));
    },
    write(val, { code, version, changedAt, sent }) {
      prepare();
      const key = keyOf(val);
      const content = stringifyJson({
        id: key,
        ...(version !== undefined && { version }),
        ...(changedAt !== undefined && { changedAt }),
        ...(sent !== undefined && { sent }),
        code,
      });
      // Not flushed: where the machine itself crashes, and both sides are alike, it is written anew.
      replaceBelow(root, fileOf(key), `${content}\n`, 'anything', { flush: false });
    },
  };

  function readIds(): string[] {
    try {
      const noted = parseJson(readBelow(root, checkoutFile) ?? '[]');
      return Array.isArray(noted) ? noted.filter((id) => typeof id === 'string') : [];
    } catch {
      return [];
    }
  }

  function parseAgreed(id: string, file: string): Agreed | 'unreadable' | undefined {
    try {
      const text = readBelow(root, file, largest.agreed);
      if (text === undefined) return undefined;
      const content = parseJson(text);
      if (!isObject(content) || content.id !== id || typeof content.code !== 'string') return 'unreadable';
      const { code, version, changedAt, sent } = content;
      return {
        ...{ code, version, changedAt: typeof changedAt === 'string' ? changedAt : undefined },
        ...(typeof sent === 'string' && { sent }),
      };
    } catch {
      return 'unreadable';
    }
  }
}

const nameKey = (name: string): string => `name ${name}`;

/** For a person who looks into the folder. */
const readable = (service: string): string =>
  service
    .replace(/^https?:\/\//, '')
    .replace(/[^\da-zA-Z]+/g, '-')
    .slice(0, 40)
    .toLowerCase();
