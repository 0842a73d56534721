import { defineCommand } from '../cli/command.ts';
import { valWord } from '../cli/value-types.ts';
import type { Hint } from '../lib/hint.ts';
import { visible } from '../lib/visible.ts';
import { cellText, column } from '../terminal/column.ts';
import type { ShownDiff } from '../terminal/result.ts';
import type { Examined } from '../workspace/examine.ts';
import { type State, stateOf } from '../workspace/state.ts';
import { diffBetween, unifiedDiff } from '../workspace/text/unified-diff.ts';
import { pathTo, type Workspace } from '../workspace/workspace.ts';
import { compareVals } from './status/compare-vals.ts';

export const command = defineCommand({
  summary: 'Show how the files differ from the service',
  description:
    'Show the differences between the files of the workspace and the service as a unified diff. At a terminal, + ' +
    'marks the lines that a push would send. If a val changed only on the service, + marks the lines that a pull ' +
    'would write. In a pipe, - always marks lines of the service, and + marks lines of the file. `patch -p1` can ' +
    'apply this diff.',
  descriptionForAgents:
    'Show the differences between the files of the workspace and the service as unified diffs. - marks lines on the ' +
    'service, + marks lines in the file.',
  arguments: {
    vals: {
      description: 'names, files or ids of vals (default: the whole workspace)',
      value: valWord(),
      optional: true,
      repeatable: true,
    },
  },
  examples: ['vals diff', 'vals diff hello.ts', 'vals diff --json | jq -r ".[].file"'],
  columns: [column('status'), column('name'), column('file'), column('diff')],
  empty: 'No file of the workspace differs from its val on the service.',
  async run(context, { vals }) {
    const { workspace, examined, error } = await compareVals(context, vals, { keepsCode: () => true });
    if (error !== undefined && examined.length === 0) throw error;
    const differing = examined.filter(({ code }) => code !== 'unchanged');
    const rows = differing.map((examined) => {
      const { val, here, remote } = examined;
      const file = pathTo(workspace, val.file);
      // `patch` is run at the top of the workspace, so the diff has the path from there.
      const diff = unifiedDiff(val.file, remote?.code, here);
      return { file, name: val.name, status: stateOf(examined), diff };
    });
    if (rows.length === 0 && error === undefined)
      context.say({ kind: 'hint', text: 'No file of the workspace differs from its val on the service.' });
    const diffs = differing.map((examined, index): ShownDiff => {
      const { before, after } = sidesOf(workspace, examined);
      const patch = rows[index]?.diff ?? '';
      const [sentence, ...hints] = meaningOf(examined);
      return {
        patch,
        heading: [`${examined.val.name} ${sentence}`, ...hints],
        forTerminal: diffBetween(before, after),
      };
    });
    return { kind: 'diffs', rows, diffs, error };
  },
});

type Meaning = [sentence: string, ...hints: Hint[]];

const push = (text: string, input = {}): Hint => ({ text, command: 'push', input });
const pull = (text: string, input = {}): Hint => ({ text, command: 'pull', input });

const meanings: Record<State, Meaning> = {
  'changed here': ['changed in the workspace.', push('To send the change')],
  new: ['is not on the service yet.', push('To send the val')],
  'changed there': ['changed on the service.', pull('To write the change into the file')],
  conflict: ['changed in the workspace and on the service.', pull('To merge both changes', { merge: true })],
  differs: [
    'differs, and no record shows which side is newer.',
    push('To overwrite the val', { yes: true }),
    pull('To overwrite the file', { force: true }),
  ],
  'missing here': ['has no file in the workspace.', pull('To write the file')],
  'deleted there': ['was deleted on the service.', push('To make a new val', { fork: true })],
  'not yours': ['belongs to another owner.', push('To make a val of your own', { fork: true })],
  unmerged: [
    'has conflict markers. Keep the lines you want, and remove the markers.',
    push('To send the result'),
  ],
  'renamed here': ['has another name on the service.', push('To rename the val on the service')],
  unchanged: ['is the same in the workspace and on the service.'],
};

function meaningOf(examined: Examined): Meaning {
  const { here, remote, name } = examined;
  if (here === undefined && remote === undefined)
    return [
      'is neither in the workspace nor on the service.',
      { text: 'To remove the val from vals.json', command: 'forget' },
    ];
  return name === 'other val'
    ? [
        `has the id of the val "${remote?.name}" in vals.json. If the file is that val, change the name in vals.json.`,
      ]
    : meanings[stateOf(examined)];
}

function sidesOf(workspace: Workspace, { val, code, here, remote }: Examined) {
  const path = pathTo(workspace, val.file);
  const version = remote?.version === undefined ? '' : `, version ${visible(cellText(remote.version))}`;
  const service = {
    label: remote === undefined ? 'nothing (service)' : `${path} (service${version})`,
    text: remote?.code ?? '',
  };
  const file = {
    label: here === undefined ? 'nothing (here)' : `${path} (here)`,
    text: here ?? '',
  };
  const isServiceNewer = code === 'changed there' || code === 'missing here';
  return isServiceNewer ? { before: file, after: service } : { before: service, after: file };
}
