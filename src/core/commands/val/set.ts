import { type Context, defineCommand } from '../../command-line/command.ts';
import { newName, path } from '../../command-line/value-types.ts';
import {
  PartialError,
  RefusedError,
  UnknownOutcomeError,
  UsageError,
  undefinedIf,
  ValsError,
} from '../../errors.ts';
import { findRoot } from '../../files/root.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { type Api, ifRouteExists } from '../../http/api.ts';
import type { Reply } from '../../http/call.ts';
import { codeOf, textAt, versionOf } from '../../http/record-fields.ts';
import { shownVersion, versionsOf } from '../../http/versions.ts';
import { listed, sh } from '../../lib/hint.ts';
import type { JsonObject } from '../../lib/json.ts';
import { mayPublish, publicity, refusePublishing } from '../../push/privacy.ts';
import * as routes from '../../routes.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, privacy, readReadme, valArgument } from '../shared/options.ts';

export const command = defineCommand({
  summary: 'Change the name, privacy or readme of a val',
  description:
    'Change the name, privacy or readme of a val. Its code stays. If you make a val public, everyone can read its code and all its versions.',
  details:
    'If the service cannot change these fields alone, the command sends a new version with the same code and the ' +
    'changed fields. Afterwards it reads the val, and names the fields that the service did not change: exit code 9 if ' +
    'some, 6 if all.',
  arguments: { val: valArgument },
  options: {
    name: { description: 'the new name of the val', value: newName() },
    privacy,
    readme: { description: 'a file with the new readme', value: path() },
    dryRun,
  },
  examples: ['vals val set hello --privacy public', 'vals val set hello --name hello2'],
  columns: valColumns,
  async run(context, { val, name, privacy, readme, dryRun }) {
    const fields = await readFields(context, { name, privacy, readme });
    const api = await context.api();
    if (dryRun) {
      const { record } = val.read ?? (await api.recordWithEtag(routes.getVal(val)));
      const otherwise = routes.createVersion(val, codeOf(record), fields);
      return plan(routes.changeVal(val, fields), hasAll(fields, record) ? undefined : otherwise);
    }
    if (!mayPublish(context) && fields.privacy !== undefined) {
      const { record } = val.read ?? (await api.recordWithEtag(routes.getVal(val)));
      refusePublishing(context, fields.privacy, textAt(record, 'privacy'));
    }
    const sent = await sendFields(context, val, fields);
    if (sent.kind === 'nothing') {
      const label = textAt(sent.record, 'name') ?? val.word;
      context.out.say({ kind: 'note', text: `${label} has this already, so no version was made for it.` });
      return { kind: 'record', record: sent.record, sentence: '' };
    }
    const record = await readAgain(api, val);
    const made = sent.kind === 'version' ? await versionMade(api, val, sent, record) : undefined;
    const label = textAt(record, 'name') ?? val.word;
    const applied = Object.entries(fields).filter((field) => isApplied(field, record));
    const left = Object.entries(fields).filter((field) => !isApplied(field, record));
    const note = made === undefined ? '' : ` For this, version ${made} was made, with the same code.`;
    const done = `${doneSentence(fieldsIn(applied), label)}${note}${await nowReadable(context, val, fields, record)}`;
    const toDelete =
      made === undefined ? [] : [sh`To delete version ${made}, run ${['version', 'rm', label, made]}.`];
    if (name !== undefined && fieldsIn(applied).includes('name')) noteOnFile(context);
    if (left.length === 0) {
      if (made !== undefined) context.out.say({ kind: 'note', text: toDelete });
      return { kind: 'record', record, sentence: done };
    }
    const names = listed(fieldsIn(left));
    const message = `The service did not change the ${names} of ${label}.${note}`;
    const elsewhere = `If the service has pages, change the ${names} there.`;
    const hint = [...namesEntry(context, fieldsIn(left), fields, label), elsewhere, ...toDelete];
    if (applied.length === 0) throw new RefusedError(message, { hint });
    context.out.say({ kind: 'done', text: done });
    return { kind: 'record', record, error: new PartialError(message, { hint }) };
  },
});

const isApplied = ([field, value]: [string, string], record: JsonObject): boolean =>
  value === (textAt(record, field) ?? '');

const hasAll = (fields: routes.ValFields, record: JsonObject): boolean =>
  Object.entries(fields).every((field) => isApplied(field, record));

const fieldsIn = (entries: readonly [field: string, value: string][]): string[] =>
  entries.map(([field]) => field);

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

async function sendFields(context: Context, val: GivenVal, fields: routes.ValFields): Promise<Sent> {
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
async function versionMade(
  api: Api,
  val: GivenVal,
  { code, before, reply: { body = null } }: SentVersion,
  record: JsonObject,
): Promise<number | undefined> {
  const now = versionOf(body) ?? (await shownVersion(api, val, record).catch(undefinedIf(ValsError)));
  const isNew = now !== undefined && before !== undefined && now > before;
  return isNew && record.code === code ? now : undefined;
}

/** A person learns what became readable with the val. */
async function nowReadable(
  context: Context,
  val: GivenVal,
  { privacy }: routes.ValFields,
  record: JsonObject,
): Promise<string> {
  const isPublished = publicity(privacy, 0) > 0 && privacy === textAt(record, 'privacy');
  if (!isPublished || !context.out.forPerson) return '';
  const versions = await versionsOf(await context.api(), val).catch(undefinedIf(ValsError));
  const older = (versions?.length ?? 0) - 1;
  if (older < 1) return '';
  const what = older === 1 ? 'its older version' : `its ${older} older versions`;
  return ` Anybody can read ${what} now (\`vals version rm\` deletes one).`;
}

const isInWorkspace = ({ settings }: Context): boolean => findRoot(settings.cwd) !== undefined;

/** In a workspace, a file may have the new name although its val keeps the old one. */
function namesEntry(
  context: Context,
  left: readonly string[],
  { name }: routes.ValFields,
  nameNow: string | undefined,
): string[] {
  if (name === undefined || nameNow === undefined || !left.includes('name') || !isInWorkspace(context))
    return [];
  return [
    `To give a file with the new name this val, write it in vals.json: "names": {"${name}.ts": "${nameNow}"}.`,
  ];
}

function noteOnFile(context: Context): void {
  if (!isInWorkspace(context)) return;
  const entry = 'A file that keeps its name needs an entry in "names" of vals.json now.';
  context.out.say({ kind: 'note', text: [entry, sh`To write it, run ${['pull', '<file>']}.`] });
}

/** Services may ignore fields, so only the val shows what was changed. */
async function readAgain(api: Api, val: GivenVal): Promise<JsonObject> {
  try {
    return await api.record(routes.getVal(val));
  } catch (error) {
    if (!(error instanceof ValsError)) throw error;
    const message = `The change was sent, but the val could not be read afterwards: ${error.message}`;
    throw new UnknownOutcomeError(message, error.facts);
  }
}

async function readFields(
  context: Context,
  { name, privacy, readme }: routes.ValFields,
): Promise<routes.ValFields> {
  if (name === undefined && privacy === undefined && readme === undefined) {
    throw new UsageError('No new name, privacy or readme was given.', {
      hint: [
        'To change the name, add --name <name>.',
        'To change who can see the val, add --privacy <word>.',
        'To change the readme, add --readme <file>.',
      ],
    });
  }
  const text = readme === undefined ? undefined : await readReadme(readme, context);
  return {
    ...(name !== undefined && { name }),
    ...(privacy !== undefined && { privacy }),
    ...(text !== undefined && { readme: text }),
  };
}

/** The label is the new name already. */
function doneSentence(fields: readonly string[], label: string): string {
  if (fields.length === 1 && fields[0] === 'name') return `The val is named ${label} now.`;
  return `Changed the ${listed(fields)} of ${label}.`;
}
