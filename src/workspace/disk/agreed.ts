// The code last agreed on with one service: what both sides are compared with.

import { largest } from '../../lib/file-sizes.ts';
import { isObject, type JsonValue, parseJson, stringifyJson } from '../../lib/json.ts';
import { hashOf } from '../text/hash.ts';
import { prepareDotVals } from './dot-vals.ts';
import { dotValsFolder, existsBelow, readBelow, replaceBelow } from './files.ts';

export interface Agreed {
  code: string;
  /** As the service sent it, where it did. */
  version: JsonValue | undefined;
  /** The hash of code that was sent without an answer: found on the service, it is ours. */
  sent?: string;
}

export interface AgreedStore {
  /** Undefined where nothing was agreed on, or where that cannot be read any more. */
  read(id: string): Agreed | undefined;
  /**
   * Whether the file is the newer side where nothing was agreed on: it came with a fresh checkout, whose first push
   * plainly sends. A val that others added since may have edits there that nobody here has seen.
   */
  trustsFile(id: string): boolean;
  write(id: string, agreed: Agreed): void;
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
  const fileOf = (id: string) => `${folder}/${/^[\da-z-]{1,64}$/.test(id) ? id : hashOf(id)}.json`;
  const checkoutFile = `${folder}/checkout.json`;
  const isFresh = !existsBelow(root, folder);
  const cameWithCheckout = isFresh ? ids : readIds();
  let isNoted = !isFresh;

  return {
    trustsFile: (id) => cameWithCheckout.includes(id),
    read(id) {
      const file = fileOf(id);
      const agreed = parseAgreed(id, file);
      if (agreed === 'unreadable') {
        warn(`${file} cannot be read, so nothing is known of what was agreed on.`);
        return undefined;
      }
      return agreed;
    },
    write(id, { code, version, sent }) {
      prepareDotVals(root);
      if (!isNoted) replaceBelow(root, checkoutFile, `${stringifyJson([...ids])}\n`, 'anything');
      isNoted = true;
      const content = stringifyJson({
        id,
        ...(version !== undefined && { version }),
        ...(sent !== undefined && { sent }),
        code,
      });
      replaceBelow(root, fileOf(id), `${content}\n`, 'anything');
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
      const { code, version, sent } = content;
      return { code, version, ...(typeof sent === 'string' && { sent }) };
    } catch {
      return 'unreadable';
    }
  }
}

/** For a person who looks into the folder. */
const readable = (service: string): string =>
  service
    .replace(/^https?:\/\//, '')
    .replace(/[^\da-zA-Z]+/g, '-')
    .slice(0, 40)
    .toLowerCase();
