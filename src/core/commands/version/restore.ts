import { defineCommand } from '../../command-line/command.ts';
import { codeOf } from '../../http/record-fields.ts';
import { newVersion, readVersion } from '../../http/versions.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, valArgument, versionArgument } from '../shared/options.ts';
import { additionResult, versionRead } from '../shared/written.ts';

export const command = defineCommand({
  summary: 'Make the code of an old version current again',
  description:
    'Add a new version to a val, with the code of an old version. No version is deleted. If the code is the same as ' +
    'the current code, the service may add no version.',
  arguments: { val: valArgument, version: versionArgument },
  options: { dryRun },
  examples: ['vals version restore hello 1'],
  columns: valColumns,
  async run(context, { val, version, dryRun }) {
    const api = await context.api();
    const code = codeOf(await readVersion(api, val, version));
    const before = versionRead(val);
    const call = newVersion(api, val, code, { before, ifMatch: val.read?.etag });
    if (dryRun) return plan(call);
    const reply = await api.send({ ...call, expects: 'record' });
    return additionResult(
      context,
      { val, code, reply, before },
      (label, added) => `Restored version ${version}: ${label} is now version ${added}.`,
    );
  },
});
