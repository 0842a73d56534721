import { type Context, defineCommand } from '../../command-line/command.ts';
import { recordOf } from '../../command-line/resolve-vals.ts';
import { newName, path } from '../../command-line/value-types.ts';
import { PartialError, RefusedError, UsageError, undefinedIf, ValsError } from '../../errors.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { codeOf } from '../../http/record-fields.ts';
import { versionsOf } from '../../http/versions.ts';
import { listed, sh } from '../../lib/hint.ts';
import { type JsonObject, textAt } from '../../lib/json.ts';
import { mayPublish, publicity, refusePublishing } from '../../push/privacy.ts';
import * as routes from '../../routes.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, privacy, readReadme, valArgument } from '../shared/options.ts';
import {
  hasAll,
  isApplied,
  namesEntry,
  noteOnFile,
  readAgain,
  sendFields,
  versionMade,
} from './send-fields.ts';

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
      const record = await recordOf(api, val);
      const otherwise = routes.createVersion(val, codeOf(record), fields);
      return plan(routes.changeVal(val, fields), hasAll(fields, record) ? undefined : otherwise);
    }
    if (!mayPublish(context) && fields.privacy !== undefined) {
      const record = await recordOf(api, val);
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
    const done = doneSentence(fieldsIn(applied), label) + (await nowReadable(context, val, fields, record));
    const forThis = made === undefined ? '' : `For this, version ${made} was made, with the same code.`;
    const toDelete =
      made === undefined ? [] : [sh`To delete version ${made}, run ${['version', 'rm', label, made]}.`];
    if (fieldsIn(applied).includes('name')) noteOnFile(context, val);
    if (left.length === 0) {
      if (made !== undefined) context.out.say({ kind: 'note', text: [forThis, ...toDelete] });
      return { kind: 'record', record, sentence: done };
    }
    const names = listed(fieldsIn(left));
    const message = `The service did not change the ${names} of ${label}. ${forThis}`.trimEnd();
    const elsewhere = `If the service has pages, change the ${names} there.`;
    const hint = [...namesEntry(context, fieldsIn(left), fields, label), elsewhere, ...toDelete];
    if (applied.length === 0) throw new RefusedError(message, { hint });
    context.out.say({ kind: 'done', text: done });
    return { kind: 'record', record, error: new PartialError(message, { hint }) };
  },
});

const fieldsIn = (entries: readonly [field: string, value: string][]): string[] =>
  entries.map(([field]) => field);

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
