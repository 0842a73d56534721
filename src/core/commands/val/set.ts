import { type Context, defineCommand } from '../../command-line/command.ts';
import { newName, path } from '../../command-line/value-types.ts';
import { PartialError, RefusedError, UnknownOutcomeError, UsageError, ValsError } from '../../errors.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import type { Api } from '../../http/api.ts';
import { ifRouteExists } from '../../http/if-present.ts';
import { codeOf, textAt, versionOf } from '../../http/record-fields.ts';
import { listed } from '../../lib/hint.ts';
import type { JsonObject } from '../../lib/json.ts';
import { mayPublish, refusePublishing } from '../../push/privacy.ts';
import * as routes from '../../routes.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, privacy, valArgument } from '../shared/options.ts';
import { readReadme } from '../shared/readme.ts';

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
    if (dryRun) return plan(routes.changeVal(val, fields));
    const api = await context.api();
    if (!mayPublish(context) && fields.privacy !== undefined) {
      const { record } = val.read ?? (await api.recordWithEtag(routes.getVal(val)));
      refusePublishing(context, fields.privacy, textAt(record, 'privacy'));
    }
    const before = await sendFields(api, val, fields, val.read?.etag);
    const record = await readAgain(api, val);
    const version = versionOf(record);
    const madeVersion = before !== undefined && version !== undefined && version > before;
    const note = madeVersion ? ` For this, version ${version} was made, with the same code.` : '';
    const label = textAt(record, 'name') ?? val.word;
    const isApplied = ([field, value]: [string, string]) => value === (textAt(record, field) ?? '');
    const applied = Object.entries(fields).filter(isApplied);
    const done = doneSentence(fieldsIn(applied), label) + note;
    const left = Object.entries(fields).filter((each) => !isApplied(each));
    if (left.length === 0) return { kind: 'record', record, sentence: done };
    const names = listed(fieldsIn(left));
    const message = `The service did not change the ${names} of ${label}.${note}`;
    const hint = `If the service has pages, change the ${names} there.`;
    if (applied.length === 0) throw new RefusedError(message, { hint });
    context.out.say({ kind: 'done', text: done });
    return { kind: 'record', record, error: new PartialError(message, { hint }) };
  },
});

const fieldsIn = (entries: readonly [field: string, value: string][]): string[] =>
  entries.map(([field]) => field);

/** Returns the version that the val had before, if the service takes the fields only with a new version. */
async function sendFields(
  api: Api,
  val: GivenVal,
  fields: routes.ValFields,
  ifMatch: string | undefined,
): Promise<number | undefined> {
  const changed = await ifRouteExists(() => api.send({ ...routes.changeVal(val, fields), ifMatch }));
  if (changed !== undefined) return undefined;
  const { record, etag } = await api.recordWithEtag(routes.getVal(val));
  await api
    .send({ ...routes.createVersion(val, codeOf(record), fields), ifMatch: ifMatch ?? etag })
    .catch((error) => {
      if (error instanceof RefusedError)
        error.facts.hint = `This service may have no way to change the ${listed(Object.keys(fields))} of a val that is there. If it has pages, make the change there.${fields.name === undefined ? '' : namesInWorkspace}`;
      throw error;
    });
  return versionOf(record);
}

const namesInWorkspace = ' In a workspace, "names" of vals.json can give a file a val of another name.';

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
