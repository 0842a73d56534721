import { defineCommand } from '../../core/command-line/command.ts';
import { valsOfWorkspace } from '../../core/commands/shared/options.ts';
import { diffBetween, unifiedDiff } from '../../core/files/unified-diff.ts';
import type { Hints } from '../../core/lib/hint.ts';
import { visible } from '../../core/lib/visible.ts';
import { column } from '../../core/output/column.ts';
import type { ShownDiff } from '../../core/output/result.ts';
import { noteOtherService } from '../belonging.ts';
import { withLineEnds } from '../code.ts';
import { compareWorkspace, notInThisWorkspace } from '../compare-workspace.ts';
import type { Examined } from '../examine.ts';
import type { Look } from '../look.ts';
import { meaningOf, nextSteps, situationOf } from '../next-steps.ts';
import { pathTo, type Workspace } from '../workspace.ts';

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
  run: (run, { vals: words }) =>
    compareWorkspace(run, { words, findsMissing: true }, async ({ look, vals, unknown, error }) => {
      const [word] = unknown;
      if (word !== undefined) throw notInThisWorkspace(look, word);
      if (error !== undefined && vals.length === 0) throw error;
      const { workspace } = look;
      noteOtherService(run.out.say, workspace);
      const differing: DifferingVal[] = [];
      for (const val of vals) if (val.code !== 'unchanged') differing.push(await withTexts(look, val));
      const rows = differing.map(({ val, here, there }) => ({
        file: pathTo(workspace, val.file),
        name: val.name,
        status: val.status,
        // `patch` is run at the top of the workspace, so the diff has the path from there.
        diff: unifiedDiff(val.file, there, here),
      }));
      if (rows.length === 0 && error === undefined) run.out.say({ kind: 'hint', text: nothingDiffers });
      const diffs = differing.map((each, index): ShownDiff => {
        const { before, after } = sidesOf(workspace, each);
        const patch = rows[index]?.diff ?? '';
        return { patch, heading: headingOf(workspace, each.val), forTerminal: diffBetween(before, after) };
      });
      return { kind: 'diffs', rows, diffs, error };
    }),
});

interface DifferingVal {
  val: Examined;
  here: string | undefined;
  there: string | undefined;
}

async function withTexts({ remotes }: Look, val: Examined): Promise<DifferingVal> {
  const here = val.here?.text;
  const id = val.there?.id;
  const read = val.there?.code.text ?? (id === undefined ? undefined : (await remotes.read(id))?.code.text);
  // Two codes that differ in line ends alone are the same code.
  return { val, here, there: read && (here === undefined ? read : withLineEnds(read, val.here?.lineEnds)) };
}

function headingOf(workspace: Workspace, val: Examined): Hints {
  const situation = situationOf(val);
  if (situation === undefined) return `${val.name} is the same in the workspace and on the service.`;
  const meaning = meaningOf(situation);
  const path = pathTo(workspace, val.file);
  // The difference is shown below.
  const steps = nextSteps(situation, [path]).filter(
    (step) => typeof step === 'string' || step.command !== 'diff',
  );
  return [`${path} ${typeof meaning === 'string' ? meaning : meaning.one}.`, ...steps];
}

function sidesOf(workspace: Workspace, { val, here, there }: DifferingVal) {
  const path = pathTo(workspace, val.file);
  const version = val.there?.version === undefined ? '' : `, version ${visible(`${val.there.version}`)}`;
  const service = {
    label: val.there === undefined ? 'nothing (service)' : `${path} (service${version})`,
    text: there ?? '',
  };
  const file = { label: here === undefined ? 'nothing (here)' : `${path} (here)`, text: here ?? '' };
  const isServiceNewer = val.code === 'changed there' || val.status === 'missing here';
  return isServiceNewer ? { before: file, after: service } : { before: service, after: file };
}
