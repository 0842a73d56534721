import { defineCommand } from '../../command-line/command.ts';
import { versionOf } from '../../http/record-fields.ts';
import * as routes from '../../routes.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, valArgument, versionArgument } from '../shared/options.ts';
import { versionCode } from '../shared/version-records.ts';

export const command = defineCommand({
  summary: 'Make the code of an old version current again',
  description:
    'Add a new version to a val, with the code of an old version. No version is deleted. If the code is the same as ' +
    'the current code, the service may add no version.',
  arguments: { val: valArgument, version: versionArgument },
  options: { dryRun },
  examples: ['vals version restore hello 1'],
  columns: valColumns,
  async run(run, { val, version, dryRun }) {
    const {
      api: connect,
      out: { say },
    } = run;
    const api = await connect();
    const code = versionCode(await api.record(routes.getVersion(val, version)), val);
    const call = routes.createVersion(val, code);
    if (dryRun) return plan(call);
    const restored = await api.record(call);
    say({ kind: 'done', text: doneSentence(version, versionOf(restored)) });
    return { kind: 'record', record: restored };
  },
});

function doneSentence(version: number, newVersion: number | undefined): string {
  if (newVersion === undefined) return `The code of version ${version} is now the current code.`;
  if (newVersion === version) return `Version ${version} is already the current version.`;
  return `The new version ${newVersion} has the code of version ${version}.`;
}
