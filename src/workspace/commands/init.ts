// `vals init`.
import { defineCommand } from '../../core/command-line/command.ts';
import { walkFolder } from '../../core/files/walk.ts';
import { sh } from '../../core/lib/hint.ts';
import { column } from '../../core/output/column.ts';
import { warnWith } from '../../core/output/out.ts';
import { chosenService, isOfThisMachine, readManifest, updateManifest, withService } from '../manifest.ts';
import { refuseNested } from '../workspace.ts';

export const command = defineCommand({
  summary: 'Make this folder a workspace',
  description:
    'Make this folder a workspace. The command writes vals.json, which says which services the vals belong to. Commit ' +
    'vals.json. Every file that `vals push` takes is a val. Nothing is sent. Run in an existing workspace, the command ' +
    'adds the service in use to vals.json.',
  examples: ['vals init'],
  columns: [column('status'), column('file'), column('services')],
  async run({ settings, out: { say } }) {
    const root = settings.cwd;
    refuseNested(root);
    const service = chosenService(settings);
    const isListed = service !== undefined && !isOfThisMachine(service);
    const status = updateManifest(root, isListed ? withService(service) : (manifest) => manifest);
    const files = await walkFolder(root, { warn: warnWith(say), pathOf: (below) => below });
    const vals = `${files.length} val${files.length === 1 ? '' : 's'}`;
    if (status === 'created') say({ kind: 'done', text: `This folder is now a workspace with ${vals}.` });
    else if (status === 'updated') say({ kind: 'done', text: `The vals belong to ${service} now, too.` });
    say({
      kind: 'hint',
      text:
        files.length === 0
          ? sh`Write some code to hello.ts. To send it, run ${['push']}.`
          : [
              sh`To send new and changed files, run ${['push']}.`,
              sh`To compare the files with the service, run ${['status']}.`,
            ],
    });
    return {
      kind: 'record',
      record: { status, file: 'vals.json', services: [...readManifest(root).services] },
    };
  },
});
