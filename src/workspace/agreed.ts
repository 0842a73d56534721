// The code last agreed on with one service: what both sides are compared with.
import { isObject, type JsonValue, parseJson, stringifyJson } from '../json.ts';
import { readBelow, replaceBelow, storeFolder } from './files.ts';
import { hashOf } from './hash.ts';
import { prepareStore } from './store.ts';

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
  write(id: string, agreed: Agreed): void;
}

export function createAgreedStore(
  root: string,
  service: string,
  warn: (message: string) => void,
): AgreedStore {
  const folder = `${storeFolder}/agreed/${readable(service)}-${hashOf(service).slice(0, 8)}`;
  // An id comes from a service, so it is not trusted to be a file's name.
  const fileOf = (id: string) => `${folder}/${/^[\da-z-]{1,64}$/.test(id) ? id : hashOf(id)}.json`;
  return {
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
      prepareStore(root);
      const content = stringifyJson({
        id,
        ...(version !== undefined && { version }),
        ...(sent !== undefined && { sent }),
        code,
      });
      replaceBelow(root, fileOf(id), `${content}\n`, 'anything');
    },
  };

  function parseAgreed(id: string, file: string): Agreed | 'unreadable' | undefined {
    try {
      const text = readBelow(root, file);
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
