import { defineCommand } from '../cli/command.ts';
import type { Hint } from '../lib/hint.ts';
import { visible } from '../lib/visible.ts';
import { cellText, column } from '../terminal/column.ts';
import type { ShownDiff } from '../terminal/result.ts';
import { editMarkers } from '../workspace/conflict-messages.ts';
import type { State } from '../workspace/state.ts';
import { differInLineEnds } from '../workspace/text/code-facts.ts';
import { diffBetween, unifiedDiff } from '../workspace/text/unified-diff.ts';
import { pathTo, type Workspace } from '../workspace/workspace.ts';
import { hintAbout } from './shared/hint-about.ts';
import { valsOfWorkspace } from './shared/options.ts';
import { type ComparedVal, compareVals } from './status/compare-vals.ts';

const nothingDiffers = 'No file of the workspace differs from its val on the service.';

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
  arguments: { vals: valsOfWorkspace },
  examples: ['vals diff', 'vals diff hello.ts', 'vals diff --json | jq -r ".[].file"'],
  columns: [column('status'), column('name'), column('file'), column('diff')],
  empty: nothingDiffers,
  async run(context, { vals }) {
    const compared = await compareVals(context, vals, { keepsCode: true });
    const { workspace, error } = compared;
    if (error !== undefined && compared.vals.length === 0) throw error;
    const differing = compared.vals.filter(({ step }) => step.found.code !== 'unchanged');
    const rows = differing.map(({ step: { val, why }, here, there }) => {
      const file = pathTo(workspace, val.file);
      // `patch` is run at the top of the workspace, so the diff has the path from there.
      return { file, name: val.name, status: why, diff: unifiedDiff(val.file, there, here) };
    });
    if (rows.length === 0 && error === undefined) context.say({ kind: 'hint', text: nothingDiffers });
    const diffs = differing.map((each, index): ShownDiff => {
      const { before, after } = sidesOf(workspace, each);
      const patch = rows[index]?.diff ?? '';
      const [sentence, ...hints] = meaningOf(pathTo(workspace, each.step.val.file), each);
      return {
        patch,
        heading: [`${each.step.val.name} ${sentence}`, ...hints],
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
  gone: ['is neither in the workspace nor on the service.'],
  'moved here': ['has another file now.', push('To write the new path into vals.json')],
  'older here': [
    'has code or a name here that the service had before.',
    pull('To take over what the service has', { force: true }),
    push('To send what is older', { yes: true }),
  ],
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
  unmerged: ['has conflict markers.'],
  'renamed here': ['has another name on the service.', push('To rename the val on the service')],
  unchanged: ['is the same in the workspace and on the service.'],
};

function meaningOf(path: string, { step: { why, found } }: ComparedVal): Meaning {
  const { here, remote, name, code } = found;
  if (name === 'other val') {
    return [
      `has the id of the val "${remote?.name}" in vals.json. If the file is that val, change the name in vals.json.`,
    ];
  }
  const [sentence, ...next] = meanings[why];
  const hints = why === 'unmerged' ? editMarkers(path, code) : next.map((hint) => hintAbout([path], hint));
  return differInLineEnds(here, remote)
    ? [`${sentence} Only line ends differ.`, ...hints]
    : [sentence, ...hints];
}

function sidesOf(workspace: Workspace, { step, here, there }: ComparedVal) {
  const { val, remote, code } = step.found;
  const path = pathTo(workspace, val.file);
  const version = remote?.version === undefined ? '' : `, version ${visible(cellText(remote.version))}`;
  const service = {
    label: remote === undefined ? 'nothing (service)' : `${path} (service${version})`,
    text: there ?? '',
  };
  const file = {
    label: here === undefined ? 'nothing (here)' : `${path} (here)`,
    text: here ?? '',
  };
  const isServiceNewer = code === 'changed there' || code === 'missing here';
  return isServiceNewer ? { before: file, after: service } : { before: service, after: file };
}
