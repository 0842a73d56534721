// The base of a val is the code that the val's file and the service last had in common.
import { createHash } from 'node:crypto';
import type { LocalError } from '../../errors.ts';
import { isObject, type JsonValue, parseJson, stringifyJson, withoutUndefined } from '../../lib/json.ts';
import { largest } from '../../lib/plain-file.ts';
import { shell } from '../../lib/shell-command.ts';
import { folderIdentity, markOf, ownFilePaths, prepareDotVals } from './dot-vals.ts';
import { existsBelow, modeBelow, readBelow } from './files.ts';
import { dotValsFolder } from './root.ts';
import { filesForWriting, refuseSpecial, removeBelow, replaceBelow } from './write-files.ts';

export interface Base {
  code: string;
  version: JsonValue | undefined;
  changedAt?: string | undefined;
  name?: string | undefined;
  sent?: string | undefined;
}

interface Identity {
  id?: string | undefined;
  name: string;
}

export interface Bases {
  read(val: Identity): Base | undefined;
  readOwnCode(val: Identity): string | undefined;
  cameWithCheckout(id: string): boolean;
  prepare(): void;
  checkWritable(val: Identity): void;
  warnNotRecorded(val: Identity, error: LocalError): void;
  write(val: Identity & { file: string }, base: Base): void;
  removeBaseByName(name: string): void;
  /** After this call, a later vals.json that lists one of these vals gives a push no right to overwrite the val. */
  forget(vals: readonly Identity[]): void;
}

export function createBases(
  root: string,
  service: string,
  vals: Iterable<Identity>,
  warn: (message: string) => void,
): Bases {
  // The folder must keep the name `agreed`, because existing workspaces have bases in this folder.
  const folder = `${dotValsFolder}/agreed/${readable(service)}-${hashOf(service).slice(0, 8)}`;
  // An unusual key is hashed, because a hostile service could send an id such as `../x`.
  const fileOf = (key: string) => `${folder}/${/^[\da-z-]{1,64}$/.test(key) ? key : hashOf(key)}.json`;
  const keyOf = ({ id, name }: Identity) => id ?? nameKey(name);
  let knownIdentity: string | undefined;
  const identity = () => {
    knownIdentity ??= folderIdentity(root);
    return knownIdentity;
  };
  // The mark shows that this folder wrote exactly this text. If a hostile commit contains a base, git may publish what
  // vals writes into that base later, so the mark of one base must not fit another.
  const withMark = (file: string, content: string) =>
    `${content.slice(0, -1)},"mark":"${markOf(`${identity()} ${file} ${content}`)}"}\n`;
  const hasOwnMark = (file: string, text: string): boolean => {
    const content = `${text.slice(0, text.lastIndexOf(',"mark":'))}}`;
    return identity() !== undefined && text === withMark(file, content);
  };
  // The mark in the file name makes vals ignore a file that came with a cloned repository.
  const checkoutFile = () => `${folder}/checkout-${markOf(`${identity()}`)}.json`;
  const isFresh = identity() === undefined || !existsBelow(root, checkoutFile());
  const idsFromCheckout = new Set(isFresh ? [...vals].flatMap(({ id }) => id ?? []) : readIds());
  let isPrepared = false;
  let hasWarned = false;
  const readByName = new Set<string>();
  const unreadable = new Set<string>();

  function prepare(): void {
    if (isPrepared) return;
    prepareDotVals(root);
    if (isFresh) writeIds();
    isPrepared = true;
  }

  const writeIds = () =>
    replaceBelow(root, checkoutFile(), `${stringifyJson([...idsFromCheckout])}\n`, 'anything');

  return {
    prepare,
    cameWithCheckout: (id) => idsFromCheckout.has(id),
    read(val) {
      const key = keyOf(val);
      const file = fileOf(key);
      if (val.id === undefined && !existsBelow(root, file)) return undefined;
      const base = parseBase(key, file);
      if (base === 'unreadable') {
        if (!unreadable.has(file)) warn(unreadableBase(file, val.name));
        unreadable.add(file);
        return undefined;
      }
      if (base === undefined) return undefined;
      const { isOurs, name, ...facts } = base;
      // A base that another folder wrote may come from a cloned repository. The version and time of such a base are
      // left out, so that vals reads the val from the service.
      if (val.id !== undefined) return isOurs ? { ...facts, name } : { code: facts.code, version: undefined };
      // A val without an id is found by its name. A base from a cloned repository could make a push overwrite the
      // user's own val of that name.
      if (!isOurs) return undefined;
      readByName.add(val.name);
      return { ...facts, name };
    },
    readOwnCode(val) {
      const key = keyOf(val);
      const base = parseBase(key, fileOf(key));
      return typeof base === 'object' && base.isOurs ? base.code : undefined;
    },
    checkWritable(val) {
      const files = [...filesForWriting, ...ownFilePaths, checkoutFile(), fileOf(keyOf(val))];
      for (const file of files) refuseSpecial(root, file);
    },
    warnNotRecorded({ name }, { message }) {
      if (!hasWarned) warn(`The workspace could not record that "${name}" is unchanged: ${message}`);
      hasWarned = true;
    },
    removeBaseByName(name) {
      if (readByName.delete(name)) removeBelow(root, fileOf(nameKey(name)));
    },
    forget(vals) {
      prepare();
      for (const { id } of vals) if (id !== undefined) idsFromCheckout.delete(id);
      writeIds();
      for (const val of vals) removeBelow(root, fileOf(keyOf(val)));
    },
    write(val, { code, version, changedAt, name, sent }) {
      prepare();
      const key = keyOf(val);
      const file = fileOf(key);
      const content = stringifyJson(withoutUndefined({ id: key, version, changedAt, name, sent, code }));
      // Whoever may not read the val's file may not read the same code in the base.
      const fileMode = modeBelow(root, val.file);
      const mode = fileMode === undefined ? undefined : (fileMode & 0o644) | 0o600;
      replaceBelow(root, file, withMark(file, content), 'anything', { flush: false, mode });
    },
  };

  function readIds(): string[] {
    try {
      const noted = parseJson(readBelow(root, checkoutFile()) ?? '[]');
      return Array.isArray(noted) ? noted.filter((id) => typeof id === 'string') : [];
    } catch {
      return [];
    }
  }

  function parseBase(id: string, file: string): (Base & { isOurs: boolean }) | 'unreadable' | undefined {
    try {
      const text = readBelow(root, file, largest.base);
      if (text === undefined) return undefined;
      const isOurs = hasOwnMark(file, text);
      // Parsing the large bases of a cloned repository would fill the memory. An empty base makes the val a conflict.
      if (text.length > longestForeignBase && !isOurs) return emptyBase;
      const content = parseJson(text);
      if (!isObject(content) || content.id !== id || typeof content.code !== 'string') return 'unreadable';
      const { code, version, changedAt, name, sent } = content;
      const ifText = (field: JsonValue | undefined) => (typeof field === 'string' ? field : undefined);
      return { code, version, changedAt: ifText(changedAt), name: ifText(name), sent: ifText(sent), isOurs };
    } catch {
      return 'unreadable';
    }
  }
}

const longestForeignBase = 2 * 1_048_576;
const emptyBase = { code: '', version: undefined, isOurs: false };

const unreadableBase = (file: string, name: string): string =>
  `${file} cannot be read, so it is unknown whether "${name}" is newer in this folder or on the service. ` +
  `To see the difference, run ${shell`vals diff ${name}`}.`;

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const nameKey = (name: string): string => `name ${name}`;

const readable = (service: string): string =>
  service
    .replace(/^https?:\/\//, '')
    .replace(/[^\da-zA-Z]+/g, '-')
    .slice(0, 40)
    .toLowerCase();
