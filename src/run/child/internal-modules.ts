import { Blob } from 'node:buffer';
import module from 'node:module';
import { normalize, resolve } from 'node:path';

/** `structuredClone` and `postMessage` use these classes, each with the internal module of Node that contains the class. */
const cloneableClasses = [
  ['internal/abort_controller', 'ClonedAbortSignal'],
  ['internal/blob', 'Blob'],
  ['internal/blob', 'ClonedBlob'],
  ['internal/blocklist', 'InternalBlockList'],
  ['internal/crypto/keys', 'InternalCryptoKey'],
  ['internal/crypto/x509', 'InternalX509Certificate'],
  ['internal/file', 'TransferableFile'],
  ['internal/fs/promises', 'FileHandle'],
  ['internal/histogram', 'ClonedHistogram'],
  ['internal/histogram', 'ClonedRecordableHistogram'],
  ['internal/socketaddress', 'InternalSocketAddress'],
  ['internal/webstreams/readablestream', 'TransferredReadableStream'],
  ['internal/webstreams/transfer', 'InternalCloneableDOMException'],
  ['internal/webstreams/transformstream', 'TransferredTransformStream'],
  ['internal/webstreams/writablestream', 'TransferredWritableStream'],
  ['internal/worker/clone_dom_exception', 'DOMException'],
  ['internal/worker/clone_dom_exception', 'QuotaExceededError'],
] as const;

type Exports = Record<string, unknown>;

interface BuiltinModule {
  map: { get(id: string): { compileForInternalLoader(): Exports } | undefined };
}

/**
 * An object tells `structuredClone` which internal module of Node to load. A val could name any module, and get the
 * functions that the sandbox replaces. So only the modules of the classes above can be loaded.
 */
export function protectInternalModules(): void {
  const builtinModule = findBuiltinModule();
  if (builtinModule === undefined) return;
  const load = (id: string): Exports => builtinModule.map.get(id)?.compileForInternalLoader() ?? {};
  const classes: Exports = { __proto__: null };
  for (const [id, name] of cloneableClasses) classes[`${id}:${name}`] = () => instanceOf(load(id)[name]);
  const { internalBinding } = withoutWarning(() => load('internal/test/binding'));
  const messaging = call(internalBinding, 'messaging') as Exports;
  call(messaging.setDeserializerCreateObjectFunction, (name: string) => call(classes[name]));
  if (process.versions.node.startsWith('20.'))
    checkPackageFiles(load('internal/modules/package_json_reader'));
  else normalizePackagePaths(call(internalBinding, 'modules') as Exports);
}

/** A module may have a file name with `..` behind a link, and Node looks for the package.json beside that file. */
function normalizePackagePaths(modules: Exports): void {
  for (const name of ['getNearestParentPackageJSON', 'getNearestParentPackageJSONType', 'readPackageJSON']) {
    if (!(name in modules)) continue;
    const original = checkedFunction(modules[name]);
    modules[name] = (path: string, isModule: unknown, base: unknown, specifier: unknown): unknown =>
      original(normalize(path), isModule, base, specifier);
  }
}

/** Node 20 opens every package.json without a check, and the val could read the file under its descriptor. */
function checkPackageFiles(reader: Exports): void {
  const read = checkedFunction(reader.read);
  const mayRead = process.permission.has;
  const checkedRead = (path: string, options?: unknown): unknown =>
    mayRead('fs.read', path) ? read(path, options) : { exists: false, type: 'none', pjsonPath: path };
  reader.read = checkedRead;
  Reflect.set(module, '_readPackage', (folder: string) => checkedRead(resolve(folder, 'package.json')));
}

/** The module `internal/test/binding` warns that it is meant for tests. */
function withoutWarning<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Node does not export this class, but a setter gets the instance that `structuredClone` makes. */
function findBuiltinModule(): BuiltinModule | undefined {
  const symbols = Object.getOwnPropertySymbols(Blob.prototype);
  const find = (name: string) =>
    symbols.find(({ description }) => description === `messaging_${name}_symbol`);
  const [clone, deserialize] = [find('clone'), find('deserialize')];
  if (clone === undefined || deserialize === undefined) return undefined;
  const description = { data: {}, deserializeInfo: 'internal/bootstrap/realm:BuiltinModule' };
  const blob = Object.defineProperty(new Blob([]), clone, { value: () => description });
  let found: BuiltinModule | undefined;
  const added = {
    [deserialize]: { configurable: true, value() {} },
    filename: {
      configurable: true,
      set(this: { constructor: unknown }) {
        found = this.constructor as BuiltinModule;
      },
    },
  };
  Object.defineProperties(Object.prototype, added);
  try {
    structuredClone(blob);
  } catch {
  } finally {
    for (const key of Reflect.ownKeys(added)) Reflect.deleteProperty(Object.prototype, key);
  }
  return found;
}

function instanceOf(member: unknown): unknown {
  const Class = checkedFunction(member) as unknown as new () => unknown;
  return new Class();
}

const call = (member: unknown, ...args: unknown[]): unknown => checkedFunction(member)(...args);

function checkedFunction(member: unknown): (...args: unknown[]) => unknown {
  if (typeof member !== 'function') throw new TypeError('This object cannot be cloned.');
  return member as (...args: unknown[]) => unknown;
}
