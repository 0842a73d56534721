import { textAt } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, valArgument, versionArgument } from '../shared/options.ts';
import { versionCode } from '../shared/versions.ts';

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
    const { connect, say } = context;
    const api = await connect();
    const call = routes.createVersion(
      val,
      versionCode(await api.record(routes.getVersion(val, version)), val),
    );
    if (dryRun) return plan(call);
    const file = await fileOf(context, val);
    const restored = await api.record(call);
    say({ kind: 'done', text: doneSentence(version, textAt(restored, 'version')) });
    if (file !== undefined) {
      say({
        kind: 'warning',
        text: [
          `The file ${file} keeps its code, and a push of it would undo this.`,
          {
            text: 'To write the code of the service into the file',
            command: 'pull',
            input: { vals: [file] },
          },
        ],
      });
    }
    return { kind: 'record', record: restored };
  },
});

/** The file of the val in the workspace, as the user would type it. */
async function fileOf(context: Context, id: string): Promise<string | undefined> {
  const { placeOfVal } = await import('../shared/place-of-val.ts');
  const place = placeOfVal(context, id);
  if (place === undefined) return undefined;
  const { pathTo } = await import('../../workspace/workspace.ts');
  return pathTo(place.workspace, place.val.file);
}

function doneSentence(version: string, newVersion: string | undefined): string {
  if (newVersion === undefined) return `The code of version ${version} is now the current code.`;
  if (newVersion === version) return `Version ${version} is already the current version.`;
  return `The new version ${newVersion} has the code of version ${version}.`;
}
