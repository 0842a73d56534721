// What a push says beside its rows.

import type { Run } from '../../core/command-line/command.ts';
import { type Remarked, summarizeRemarks } from '../../core/command-line/failures.ts';
import type { Problem } from '../../core/errors.ts';
import { listed } from '../../core/lib/listed.ts';
import type { OutcomeRow } from '../../core/lib/outcome.ts';
import type { Remark } from '../carry-out.ts';
import { hintAbout } from '../next-steps.ts';
import { type Step, sendsCode } from '../plan.ts';
import type { PlannedVal } from './ask.ts';

const wasSent = ({ status }: OutcomeRow): boolean => status === 'created' || status === 'pushed';

export const isSentWithoutId = (row: OutcomeRow): boolean => wasSent(row) && row.id === undefined;

/** The table has only the new name. */
export function noteRenames({ out: { say }, flags }: Run, rows: readonly OutcomeRow[]): void {
  if (flags.json || flags.ndjson) return;
  for (const { name, nameBefore, status } of rows) {
    const isDone = status === 'renamed' || status === 'pushed';
    if (nameBefore !== undefined && isDone)
      say({ kind: 'note', text: `The val "${nameBefore}" is named "${name}" now.` });
  }
}

/** What the service has newer code for is not sent, and is no failure. */
export function noteBehind(run: Run, rows: readonly OutcomeRow[], { isNamed }: { isNamed: boolean }): void {
  const {
    out: { say },
    host: { env },
    flags,
  } = run;
  const files = rows.filter(({ status }) => status === 'behind').map(({ file }) => `${file}`);
  if (files.length === 0) return;
  const [first = ''] = files;
  const text =
    files.length === 1
      ? `${first} was not sent, because the service has newer code.`
      : `${files.length} files were not sent, because the service has newer code.`;
  if (env.GITHUB_ACTIONS === 'true') {
    say({
      kind: 'lines',
      text: `::warning::${text} ${files.length === 1 ? '' : files.join(', ')}`.trimEnd(),
      despite: 'pipe',
    });
    return;
  }
  if (flags.json || flags.ndjson) return;
  const pull = { text: 'To write it into the files', command: 'pull' };
  say({ kind: 'note', text: [text, isNamed ? hintAbout(files, pull) : pull] });
}

/** In a pipe, everything that a push would do is `planned`. The table of a person says what it would be. */
export function noteLosses({ out: { say, forPerson }, flags }: Run, planned: readonly PlannedVal[]): void {
  if (forPerson || flags.json || flags.ndjson) return;
  const names = (isMeant: (step: Step) => boolean) =>
    planned.flatMap(({ step }) => (isMeant(step) ? step.val.name : []));
  const deleted = names(({ kind }) => kind === 'delete');
  const overwritten = names((step) => sendsCode(step) && step.val.status === 'conflict');
  if (deleted.length > 0) say({ kind: 'note', text: `A push would delete ${listed(deleted)}.` });
  if (overwritten.length > 0)
    say({
      kind: 'note',
      text: `A push would overwrite ${listed(overwritten)}, which changed here and on the service.`,
    });
}

interface RemarkedVal {
  file: string;
  name: string;
  remarks: readonly Remark[];
}

/** Warns of what a push met, the same remark about several files once. */
export function warnOfRemarks({ out: { say } }: Pick<Run, 'out'>, vals: readonly RemarkedVal[]): void {
  const remarked = vals.flatMap((val) =>
    val.remarks.map(
      (remark): Remarked => ({ remark: { subject: val.file, problem: problemOf(val, remark) }, hints: [] }),
    ),
  );
  for (const text of summarizeRemarks(remarked)) say({ kind: 'warning', text });
}

function problemOf({ name }: RemarkedVal, remark: Remark): Problem {
  switch (remark.kind) {
    case 'sent with markers':
      return {
        one: 'was pushed with conflict markers in the code',
        many: 'were pushed with conflict markers in the code',
      };
    case 'replaced':
      return `replaced the code of the val "${name}", which the service already had. The older versions are kept`;
    case 'not renamed':
      return `has a new val, because the service cannot rename "${remark.nameBefore}"`;
  }
}
