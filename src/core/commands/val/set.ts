import { type Context, defineCommand } from '../../command-line/command.ts';
import { recordOf } from '../../command-line/resolve-vals.ts';
import { newName, path } from '../../command-line/value-types.ts';
import {
  NotFoundError,
  PartialError,
  RefusedError,
  UsageError,
  undefinedIf,
  ValsError,
} from '../../errors.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { type Api, ifRouteExists } from '../../http/api.ts';
import { versionsOf } from '../../http/versions.ts';
import { listed } from '../../lib/hint.ts';
import { isObject, textAt } from '../../lib/json.ts';
import { mayPublish, publicity, refusePublishing } from '../../push/privacy.ts';
import * as routes from '../../routes.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, privacy, readReadme, valArgument } from '../shared/options.ts';
import { writtenResult } from '../shared/written.ts';

export const command = defineCommand({
  summary: 'Change the name, privacy or readme of a val',
  description:
    'Change the name, privacy or readme of a val. Its code stays. If you make a val public, everyone can read its code and all its versions.',
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
    const call = { ...routes.changeVal(val, fields), ifMatch: val.read?.etag };
    if (dryRun) return plan(call);
    const api = await context.api();
    if (!mayPublish(context) && fields.privacy !== undefined) {
      const record = await recordOf(api, val);
      refusePublishing(context, fields.privacy, textAt(record, 'privacy'));
    }
    const reply = await ifRouteExists(() => api.send(call));
    if (reply === undefined) {
      // A 404 may say that the val is gone.
      await api.record(routes.getVal(val));
      throw new NotFoundError('This service cannot change the name, privacy or readme of a val.', {
        hint: 'If it has pages, make the change there.',
      });
    }
    // The change is made, so it does not fail if the val cannot be read.
    const body = isObject(reply.body)
      ? reply.body
      : await api.record(routes.getVal(val)).catch(undefinedIf(ValsError));
    const label = textAt(body, 'name') ?? fields.name ?? val.word;
    const wanted = Object.entries(fields);
    const left = wanted.filter(
      ([field, value]) => body && field in body && (textAt(body, field) ?? '') !== value,
    );
    if (body && left.length > 0) {
      const message = `The service did not change the ${listed(left.map(([field]) => field))} of ${label}.`;
      if (left.length === wanted.length) throw new RefusedError(message);
      return { kind: 'record', record: body, error: new PartialError(message) };
    }
    const isPublished = publicity(fields.privacy, 0) > 0 && context.out.forPerson;
    const readable = isPublished ? await sentenceOnVersions(api, val) : '';
    const isShown = body !== undefined && wanted.every(([field]) => field in body);
    const done = isShown
      ? doneSentence(Object.keys(fields), label)
      : `The service accepted the change of ${label}.`;
    return writtenResult(context, { body }, done + readable);
  },
});

/** Each push before now is a version, and may have what was never to be read by others. */
async function sentenceOnVersions(api: Api, val: GivenVal): Promise<string> {
  const versions = await versionsOf(api, val).catch(undefinedIf(ValsError));
  if (!versions?.length) return ' Anybody can read all its versions now.';
  const older = versions.length - 1;
  if (older < 1) return '';
  return ` Anybody can read its ${older === 1 ? 'older version' : `${older} older versions`} now, too.`;
}

async function readFields(
  context: Context,
  { name, privacy, readme }: routes.ValFields,
): Promise<routes.ValFields> {
  if (name === undefined && privacy === undefined && readme === undefined) {
    throw new UsageError('No new name, privacy or readme was given.', {
      hint: 'Add --name <name>, --privacy <word> or --readme <file>.',
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
