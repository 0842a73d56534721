// `vals diff`.
import { defineCommand } from '../../core/command-line/command.ts';
import { valsOfWorkspace } from '../../core/commands/shared/options.ts';
import { diffBetween, unifiedDiff } from '../../core/files/unified-diff.ts';
import type { Hints } from '../../core/lib/hint.ts';
import { column } from '../../core/output/column.ts';
import type { ShownDiff } from '../../core/output/out.ts';
import { withLineEnds } from '../code.ts';
import { allNextCommands, sentenceOf } from '../conflicts.ts';
import { differs, type FileStatus, isConflict, isReason, statusOf, valOf } from '../file-status.ts';
import { compareWorkspace, refuseUnknownWords } from '../read/compare-workspace.ts';
import { withCode } from '../read/remotes.ts';
import type { Session } from '../session.ts';
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
    return compareWorkspace(context, { words, findsMissing: true }, async (compared) => {
      refuseUnknownWords(compared);
      const { session, statuses, error } = compared;
      if (error !== undefined && statuses.length === 0) throw error;
      const { workspace } = session;
      const differing = await Promise.all(
        statuses.filter(differs).map((each) => readBothSides(session, each)),
      );
      const rows = differing.map(({ fileStatus, here, there }) => ({
        file: pathTo(workspace, fileStatus.file),
        name: fileStatus.name,
        ...statusOf(fileStatus),
        // `patch` is run at the top of the workspace, so the diff has the path from there.
        diff: unifiedDiff(fileStatus.file, there, here),
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
      const hasHeading = (fileStatus: FileStatus) =>
        context.out.forPerson || (isAsked && isConflict(fileStatus));
      const diffs = differing.map((each, index): ShownDiff => {
        const { before, after } = sidesOf(workspace, each);
        const patch = rows[index]?.diff ?? '';
        return {
          patch,
          heading: hasHeading(each.fileStatus) ? headingOf(session, each.fileStatus) : '',
          forTerminal: diffBetween(before, after),
        };
      });
      return { kind: 'diffs', rows, diffs, error };
    });
  },
});

interface DifferingVal {
  fileStatus: FileStatus;
  here: string | undefined;
  there: string | undefined;
}

async function readBothSides(session: Session, fileStatus: FileStatus): Promise<DifferingVal> {
  const code = fileStatus.local?.code;
  const val = valOf(fileStatus);
  const there = val && (await withCode(session, val))?.code.text;
  // Two codes that differ in line ends alone are the same code.
  return { fileStatus, here: code?.text, there: there && withLineEnds(there, code?.lineEnds) };
}

function headingOf(session: Session, fileStatus: FileStatus): Hints {
  const sentence = sentenceOf(fileStatus, session);
  if (isConflict(fileStatus)) return [sentence, ...allNextCommands(fileStatus, session)];
  const { state, file, comparison } = fileStatus;
  if (isReason(state)) return sentence;
  const canPull = comparison?.canPull;
  return [sentence, ...nextCommands(state, [pathTo(session.workspace, file)], { canPull })];
}

function sidesOf(workspace: Workspace, { fileStatus, here, there }: DifferingVal) {
  const path = pathTo(workspace, fileStatus.file);
  const remote = valOf(fileStatus);
  const place = `${nameOfService(workspace.service)}${remote?.version === undefined ? '' : `, version ${remote.version}`}`;
  const service = {
    label: `${remote === undefined ? 'nothing' : path} (${place})`,
    text: there ?? '',
  };
  const file = { label: here === undefined ? 'nothing (here)' : `${path} (here)`, text: here ?? '' };
  const isServiceNewer = fileStatus.state === 'changed there' || fileStatus.state === 'missing here';
  return isServiceNewer ? { before: file, after: service } : { before: service, after: file };
}
