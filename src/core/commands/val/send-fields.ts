// Sends the fields of a val by the route that a service has for them, or with a new version.
import { dirname, resolve } from 'node:path';
import type { Context } from '../../command-line/command.ts';
import { RefusedError, UnknownOutcomeError, undefinedIf, ValsError } from '../../errors.ts';
import { findRoot } from '../../files/root.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { type Api, ifRouteExists } from '../../http/api.ts';
import type { Reply } from '../../http/call.ts';
import { codeOf, versionOf } from '../../http/record-fields.ts';
import { presentVersion, shownVersion } from '../../http/versions.ts';
import { listed, sh } from '../../lib/hint.ts';
import { type JsonObject, textAt } from '../../lib/json.ts';
import { isFile } from '../../lib/paths.ts';
import * as routes from '../../routes.ts';

type Sent =
  | { kind: 'fields' }
  /** The val has what was asked for, and the service would take it only with a new version. */
  | { kind: 'nothing'; record: JsonObject }
  | SentVersion;

interface SentVersion {
  kind: 'version';
  code: string;
  before: number | undefined;
  reply: Reply;
}

export async function sendFields(context: Context, val: GivenVal, fields: routes.ValFields): Promise<Sent> {
  const api = await context.api();
  const ifMatch = val.read?.etag;
  const changed = await ifRouteExists(() => api.send({ ...routes.changeVal(val, fields), ifMatch }));
  if (changed !== undefined) return { kind: 'fields' };
  const { record, etag } = await api.recordWithEtag(routes.getVal(val));
  if (hasAll(fields, record)) return { kind: 'nothing', record };
  const code = codeOf(record);
  const before = await shownVersion(api, val, record);
  const call = { ...routes.createVersion(val, code, fields), ifMatch: ifMatch ?? etag };
  const reply = await api.send(call).catch((error) => {
    if (!(error instanceof RefusedError)) throw error;
    const names = Object.keys(fields);
    const elsewhere = `This service may have no way to change the ${listed(names)} of a val that is there. If it has pages, make the change there.`;
    error.facts.hint = [...namesEntry(context, names, fields, textAt(record, 'name')), elsewhere];
    throw error;
  });
  return { kind: 'version', code, before, reply };
}

/** The version that the val has for the fields alone, if that is known. */
export async function versionMade(
  api: Api,
  val: GivenVal,
  { code, before, reply: { body } }: SentVersion,
  record: JsonObject,
): Promise<number | undefined> {
  const now = versionOf(body) ?? (await presentVersion(api, val, record).catch(undefinedIf(ValsError)));
  const isNew = now !== undefined && before !== undefined && now > before;
  return isNew && record.code === code ? now : undefined;
}

/** Services may ignore fields, so only the val shows what was changed. */
export async function readAgain(api: Api, val: GivenVal): Promise<JsonObject> {
  try {
    return await api.record(routes.getVal(val));
  } catch (error) {
    if (!(error instanceof ValsError)) throw error;
    const message = `The change was sent, but the val could not be read afterwards: ${error.message}`;
    throw new UnknownOutcomeError(message, error.facts);
  }
}

export const isApplied = ([field, value]: [string, string], record: JsonObject): boolean =>
  value === (textAt(record, field) ?? '');

export const hasAll = (fields: routes.ValFields, record: JsonObject): boolean =>
  Object.entries(fields).every((field) => isApplied(field, record));

const isInWorkspace = ({ settings }: Context, folder = '.'): boolean =>
  findRoot(resolve(settings.cwd, folder)) !== undefined;

/** In a workspace, a file may have the new name although its val keeps the old one. */
export function namesEntry(
  context: Context,
  left: readonly string[],
  { name }: routes.ValFields,
  nameNow: string | undefined,
): string[] {
  if (name === undefined || nameNow === undefined || !left.includes('name') || !isInWorkspace(context))
    return [];
  const entry = JSON.stringify({ [`${name}.ts`]: nameNow });
  return [`To give a file with the new name this val, write it in vals.json: "names": ${entry}.`];
}

export function noteOnFile(context: Context, { word }: GivenVal): void {
  const file = isFile(resolve(context.settings.cwd, word)) ? word : undefined;
  if (!isInWorkspace(context, file && dirname(file))) return;
  const entry = 'A file that keeps its name needs an entry in "names" of vals.json now.';
  context.out.say({ kind: 'note', text: [entry, sh`To write it, run ${['pull', file ?? '<file>']}.`] });
}
