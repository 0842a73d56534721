import { defineCommand, type Run } from '../../command-line/command.ts';
import { path, text } from '../../command-line/value-types.ts';
import { PartialError, RefusedError, UsageError } from '../../errors.ts';
import { changeFields } from '../../http/change-val.ts';
import { textAt } from '../../http/record-fields.ts';
import { listed } from '../../lib/hint.ts';
import { mayPublish, refusePublishing } from '../../push/privacy.ts';
import * as routes from '../../routes.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, privacy, valArgument } from '../shared/options.ts';
import { readReadme } from '../shared/readme.ts';
import { writtenResult } from '../shared/written.ts';

export const command = defineCommand({
  summary: 'Change the name, privacy or readme of a val',
  description:
    'Change the name, privacy or readme of a val. Its code stays. If you make a val public, everyone can read its code and all its versions.',
  details:
    'If the service cannot change these fields alone, the command sends a new version with the same code and the ' +
    'changed fields. After every change, the command reads the val and reports the fields that the service did not ' +
    'change. The exit code is 9 if the service changed only some of the fields, and 6 if the service changed none of ' +
    'them.',
  arguments: { val: valArgument },
  options: {
    name: { description: 'the new name of the val', value: text('name') },
    privacy,
    readme: { description: 'a file with the new readme', value: path() },
    dryRun,
  },
  examples: ['vals val set hello --privacy public', 'vals val set hello --name hello2'],
  columns: valColumns,
  async run(run, { val, name, privacy, readme, dryRun }) {
    const fields = await readFields(run, { name, privacy, readme });
    if (dryRun) return plan(routes.changeVal(val, fields));
    const api = await run.api();
    if (!mayPublish(run) && fields.privacy !== undefined) {
      const { record } = val.read ?? (await api.recordWithEtag(routes.getVal(val)));
      refusePublishing(run, fields.privacy, textAt(record, 'privacy'));
    }
    const { val: record, notApplied, madeVersion } = await changeFields(api, val, fields, val.read?.etag);
    const label = textAt(record, 'name') ?? val.word;
    const wanted = Object.keys(fields);
    const applied = wanted.filter((field) => !notApplied.some((other) => other === field));
    const reply = { status: 200, body: record };
    const done = doneSentence(applied, label) + versionNote(madeVersion);
    if (notApplied.length === 0) return writtenResult(run, reply, done);
    const message = `The service did not change the ${listed(notApplied)} of ${label}.${versionNote(madeVersion)}`;
    const hint = `Change the ${listed(notApplied)} on the service itself.`;
    if (applied.length === 0) throw new RefusedError(message, { hint });
    run.out.say({ kind: 'done', text: done });
    return { kind: 'record', record, error: new PartialError(message, { hint }) };
  },
});

async function readFields(run: Run, { name, privacy, readme }: routes.ValFields): Promise<routes.ValFields> {
  if (name === undefined && privacy === undefined && readme === undefined) {
    throw new UsageError('No new name, privacy or readme was given.', {
      hint: [
        'To change the name, add --name <name>.',
        'To change who can see the val, add --privacy <word>.',
        'To change the readme, add --readme <file>.',
      ],
    });
  }
  if (name === '') throw new UsageError('The name is empty.', { hint: 'Give a name, such as hello.' });
  const text = readme === undefined ? undefined : await readReadme(readme, run);
  return {
    ...(name !== undefined && { name }),
    ...(privacy !== undefined && { privacy }),
    ...(text !== undefined && { readme: text }),
  };
}

const versionNote = (version: number | undefined): string =>
  version === undefined ? '' : ` For this, version ${version} was made, with the same code.`;

/** The label is the new name already. */
function doneSentence(fields: readonly string[], label: string): string {
  if (fields.length === 1 && fields[0] === 'name') return `The val is named ${label} now.`;
  return `Changed the ${listed(fields)} of ${label}.`;
}
