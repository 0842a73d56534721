// vals.json makes a folder a workspace. It says which services the vals belong to, which files have a val of another name
// than the file, how public new vals are, and, for services that cannot list vals, the ids of the vals. It lists no vals:
// every file that a push of the folder takes is one.
import { LocalError } from '../core/errors.ts';
import { hasConflictMarkers } from '../core/files/check-syntax.ts';
import { readBelow } from '../core/files/files.ts';
import { manifestFile } from '../core/files/root.ts';
import { type Hints, listed, sh } from '../core/lib/hint.ts';
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from '../core/lib/json.ts';
import { isLoopback, parseBaseUrl } from '../core/settings/addresses.ts';
import { chosenBaseUrl, type Settings } from '../core/settings/settings.ts';
import { pathProblem, removeLeftovers, replaceBelow } from './disk/write-files.ts';
import { type ManifestKey, manifestKeys } from './manifest-keys.ts';

export interface Manifest {
  /** The address of the schema, which editors read. */
  schema: string | undefined;
  /** The base URLs that these vals belong to. */
  services: readonly string[];
  /** The name of the val of each file that has another name. */
  names: ReadonlyMap<string, string>;
  /** What new vals are made with. Without it, the service decides. */
  privacy: string | undefined;
  /** By the base URL of a service that cannot list vals: the ids of the vals by their names. */
  ids: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const emptyManifest: Manifest = {
  schema: undefined,
  services: [],
  names: new Map(),
  privacy: undefined,
  ids: new Map(),
};

const restoreHint = 'Fix vals.json, or restore it from git. Your other files and your vals were not changed.';

const broken = (problem: string, hint: Hints = restoreHint): LocalError =>
  new LocalError(`vals.json ${problem}.`, { hint });

export function readManifest(root: string): Manifest {
  const text = readBelow(root, manifestFile);
  if (text === undefined) throw broken('is gone', sh`To make a new vals.json, run ${['init']}.`);
  return parseManifest(text);
}

function parseManifest(text: string): Manifest {
  const content = parseObject(text);
  const unknown = Object.keys(content).find((key) => !Object.hasOwn(manifestKeys, key));
  if (unknown !== undefined) {
    throw broken(
      `has an unknown key, "${unknown}"`,
      `Remove the key: vals.json has only ${listed(Object.keys(manifestKeys).map((key) => `"${key}"`))}.`,
    );
  }
  const services = valueAt(content, 'services', manifestKeys.services) ?? [];
  const names = valueAt(content, 'names', manifestKeys.names) ?? {};
  const ids = valueAt(content, 'ids', manifestKeys.ids) ?? {};
  for (const file of Object.keys(names)) checkFile(file);
  return {
    schema: valueAt(content, '$schema', manifestKeys.$schema),
    services: services.map((service) => parseService(service, 'services')),
    names: new Map(Object.entries(names)),
    privacy: valueAt(content, 'privacy', manifestKeys.privacy),
    ids: new Map(
      Object.entries(ids).map(([service, idsThere]) => [
        parseService(service, 'ids'),
        new Map(Object.entries(idsThere)),
      ]),
    ),
  };
}

function valueAt<Value extends JsonValue>(
  content: JsonObject,
  key: keyof typeof manifestKeys,
  { what, is }: ManifestKey<Value>,
): Value | undefined {
  const value = content[key];
  if (value === undefined || is(value)) return value;
  throw broken(`must have ${what} as "${key}"`);
}

function parseObject(text: string): JsonObject {
  try {
    const content = parseJson(text.replace(/^\ufeff/, ''));
    if (isObject(content)) return content;
  } catch (error) {
    if (hasConflictMarkers(text)) {
      throw broken(
        'has conflict markers of a merge that was not finished',
        'Edit vals.json: keep the lines you want, and remove the conflict markers (<<<<<<<).',
      );
    }
    throw broken(`is not JSON: ${(error as Error).message.replace(/\.$/, '')}`);
  }
  throw broken('is not a JSON object');
}

/** The address is only compared, so http:// is allowed here. */
function parseService(value: string, key: 'services' | 'ids'): string {
  try {
    return parseBaseUrl(value, 'vals.json', true).href;
  } catch {
    throw broken(
      `has "${value}" in "${key}", which is not a base URL`,
      'Write the address of a service, such as https://vals.example.com.',
    );
  }
}

function checkFile(file: string): void {
  const problem = pathProblem(file);
  if (problem === undefined) return;
  throw broken(
    `names the file "${file}", whose path ${problem}`,
    'Write the path relative to vals.json, with / between folders.',
  );
}

function formatManifest({ schema, services, names, privacy, ids }: Manifest): string {
  const content = {
    ...(schema !== undefined && { $schema: schema }),
    ...(services.length > 0 && { services: [...services] }),
    ...(names.size > 0 && { names: sorted(names) }),
    ...(privacy !== undefined && { privacy }),
    ...(ids.size > 0 && {
      ids: Object.fromEntries([...ids].map(([service, idsThere]) => [service, sorted(idsThere)])),
    }),
  };
  return `${stringifyJson(content, 2)}\n`;
}

const sorted = (texts: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...texts].sort(([a], [b]) => (a < b ? -1 : 1)));

export type ManifestUpdate = 'created' | 'updated' | 'unchanged';

/** Writes vals.json whole. Throws if somebody else changes it in that moment. */
export function updateManifest(root: string, change: (before: Manifest) => Manifest): ManifestUpdate {
  const text = readBelow(root, manifestFile);
  const before = text === undefined ? emptyManifest : parseManifest(text);
  const after = formatManifest(change(before));
  parseManifest(after);
  if (text !== undefined && after === formatManifest(before)) return 'unchanged';
  replaceBelow(root, manifestFile, after, text);
  removeLeftovers(root, '');
  return text === undefined ? 'created' : 'updated';
}

export const withService =
  (service: string) =>
  (manifest: Manifest): Manifest => ({
    ...manifest,
    services: [...new Set([...manifest.services, service])],
  });

/** `name` is undefined if the val has the name of its file. */
export const withName =
  (file: string, name: string | undefined) =>
  (manifest: Manifest): Manifest => {
    const names = new Map(manifest.names);
    if (name === undefined) names.delete(file);
    else names.set(file, name);
    return { ...manifest, names };
  };

/** Each id stands under one name, the present one. */
export const withIds =
  (service: string, newIds: ReadonlyMap<string, string>) =>
  (manifest: Manifest): Manifest => {
    const known = new Set(newIds.values());
    const others = [...(manifest.ids.get(service) ?? [])].filter(([, id]) => !known.has(id));
    const ids = new Map(manifest.ids);
    ids.set(service, new Map([...others, ...newIds]));
    return { ...manifest, ids };
  };

/** An entry counts by its id. */
export const withoutIds =
  (service: string, gone: ReadonlySet<string>) =>
  (manifest: Manifest): Manifest => {
    const remaining = [...(manifest.ids.get(service) ?? [])].filter(([, id]) => !gone.has(id));
    const ids = new Map(manifest.ids);
    if (remaining.length === 0) ids.delete(service);
    else ids.set(service, new Map(remaining));
    return { ...manifest, ids };
  };

export const embeddedService = 'local';

/** Nobody else can reach a service on this machine, so its ids mean nothing to others. */
export const isOfThisMachine = (service: string): boolean =>
  service === embeddedService || (URL.canParse(service) && isLoopback(new URL(service).hostname));

/** The ids of the vals on a service, by their names. */
export const idsOn = (service: string, { ids }: Manifest): ReadonlyMap<string, string> =>
  (isOfThisMachine(service) ? undefined : ids.get(service)) ?? new Map();

export const chosenService = (settings: Settings): string | undefined =>
  settings.local.value ? embeddedService : settings.baseUrl?.value.href;

/** Throws if no service is chosen. */
export const serviceName = (settings: Settings): string =>
  chosenService(settings) ?? chosenBaseUrl(settings).href;
