import { defineCommand } from '../../core/command-line/command.ts';
import { valsOfWorkspace } from '../../core/commands/shared/options.ts';
import { diffBetween, unifiedDiff } from '../../core/files/unified-diff.ts';
import { type Hints, sh } from '../../core/lib/hint.ts';
import { column } from '../../core/output/column.ts';
import type { ShownDiff } from '../../core/output/out.ts';
import { withLineEnds } from '../code.ts';
import { allNextCommands, sentenceOf } from '../conflicts.ts';
import { differs, type Finding, isConflict, isReason, statusOf, valOf } from '../findings.ts';
import { compareWorkspace, refuseUnknownWords } from '../read/choose.ts';
import type { Look } from '../read/look.ts';
import { nextCommands } from '../states.ts';
import { nameOfService, pathTo, type Workspace } from '../workspace.ts';

export const command = defineCommand({
  summary: 'Show how the files differ from the service',
  description:
    'Show the differences between the files of the workspace and the service as a unified diff. At a terminal, + marks ' +
    'what a push would send or, where only the service changed, what a pull would write. In a pipe, - is always the ' +
    'service and + the file, and `patch -p1` can apply the diff.',
  arguments: { vals: valsOfWorkspace },
  examples: ['vals diff', 'vals diff hello.ts', 'vals diff --json | jq -r ".[].file"'],
  columns: [column('status'), column('name'), column('file'), column('diff'), column('reason')],
  run(context, { vals: words }) {
    const [val, ...numbers] = words;
    const versions = (word: string) =>
      sh`To compare versions of a val, run ${['version', 'diff', word, ...numbers]}.`;
    const outside = val === undefined ? [] : [versions(val)];
    return compareWorkspace(context, { words, findsMissing: true, outside }, async (compared) => {
      refuseUnknownWords(compared);
      const { look, findings, error } = compared;
      if (error !== undefined && findings.length === 0) throw error;
      const { workspace } = look;
      const differing = await Promise.all(findings.filter(differs).map((each) => withTexts(look, each)));
      const rows = differing.map(({ finding, here, there }) => ({
        file: pathTo(workspace, finding.file),
        name: finding.name,
        ...statusOf(finding),
        // `patch` is run at the top of the workspace, so the diff has the path from there.
        diff: unifiedDiff(finding.file, there, here),
      }));
      if (error === undefined) {
        const service = nameOfService(workspace.service);
        const text =
          rows.length === 0
            ? `No file of the workspace differs from its val on ${service}.`
            : `Compared with ${service}.`;
        context.out.say({ kind: 'hint', text });
      }
      // In a pipe, the conflicts that somebody asks about have theirs on stderr.
      const isAsked = words.length > 0 || differing.length === 1;
      const hasHeading = (finding: Finding) => context.out.forPerson || (isAsked && isConflict(finding));
      const diffs = differing.map((each, index): ShownDiff => {
        const { before, after } = sidesOf(workspace, each);
        const patch = rows[index]?.diff ?? '';
        return {
          patch,
          heading: hasHeading(each.finding) ? headingOf(look, each.finding) : '',
          forTerminal: diffBetween(before, after),
        };
      });
      return { kind: 'diffs', rows, diffs, error };
    });
  },
});

interface DifferingVal {
  finding: Finding;
  here: string | undefined;
  there: string | undefined;
}

async function withTexts({ remotes }: Look, finding: Finding): Promise<DifferingVal> {
  const code = finding.local?.code;
  const val = valOf(finding);
  const there = val && (await remotes.withCode(val))?.code.text;
  // Two codes that differ in line ends alone are the same code.
  return { finding, here: code?.text, there: there && withLineEnds(there, code?.lineEnds) };
}

function headingOf(look: Look, finding: Finding): Hints {
  const sentence = sentenceOf(finding, look);
  if (isConflict(finding)) return [sentence, ...allNextCommands(finding, look)];
  const { state, file, comparison } = finding;
  if (isReason(state)) return sentence;
  const canPull = comparison?.canPull;
  return [sentence, ...nextCommands(state, [pathTo(look.workspace, file)], { canPull })];
}

function sidesOf(workspace: Workspace, { finding, here, there }: DifferingVal) {
  const path = pathTo(workspace, finding.file);
  const remote = valOf(finding);
  const place = `${nameOfService(workspace.service)}${remote?.version === undefined ? '' : `, version ${remote.version}`}`;
  const service = {
    label: `${remote === undefined ? 'nothing' : path} (${place})`,
    text: there ?? '',
  };
  const file = { label: here === undefined ? 'nothing (here)' : `${path} (here)`, text: here ?? '' };
  const isServiceNewer = finding.state === 'changed there' || finding.state === 'missing here';
  return isServiceNewer ? { before: file, after: service } : { before: service, after: file };
}
