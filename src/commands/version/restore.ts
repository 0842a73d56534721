import { textAt } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import { defineCommand } from '../../cli/command.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, valArgument, versionArgument } from '../shared/options.ts';
import { versionCode } from '../shared/versions.ts';

export const command = defineCommand({
  summary: "Make an old version's code the current one",
  description: 'Add a new version to a val, with the code of an old version. No version is deleted.',
  arguments: { val: valArgument, version: versionArgument },
  options: { dryRun },
  examples: ['vals version restore hello 1'],
  columns: valColumns,
  async run({ connect, say }, { val, version, dryRun }) {
    const api = await connect();
    const call = routes.createVersion(
      val,
      versionCode(await api.record(routes.getVersion(val, version)), val),
    );
    if (dryRun) return plan(call);
    const restored = await api.record(call);
    const now = textAt(restored, 'version');
    say.done(
      now === version
        ? `Version ${version} is the current one already.`
        : `Version ${version} is now ${now === undefined ? 'the current one' : `version ${now}`}.`,
    );
    return { kind: 'record', record: restored };
  },
});
