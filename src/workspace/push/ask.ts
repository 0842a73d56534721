// Asks once about everything that a push does only if the user agrees.

import type { Run } from '../../core/command-line/command.ts';
import type { Hint } from '../../core/lib/hint.ts';
import { listed } from '../../core/lib/listed.ts';
import { visible } from '../../core/lib/visible.ts';
import { ago } from '../../core/output/times.ts';
import { nameBeforeOf } from '../examine.ts';
import type { Look } from '../look.ts';
import { agreed, type Deed, isDeed, type Step } from '../plan.ts';
import { nameOfService, pathTo } from '../workspace.ts';

export interface PlannedVal {
  look: Look;
  step: Step;
}

export interface AskOptions {
  /** --yes or --force. */
  isAnswered: boolean;
  /** --yes. Deletions are asked about despite --force. */
  mayDelete: boolean;
  dryRun: boolean;
  /** The folder has no record of the service, so that the user sees each val that the push would change. */
  isFirst(look: Look): boolean;
}

export interface Answer {
  planned: readonly PlannedVal[];
  /** What the user does not want. */
  declined: ReadonlySet<PlannedVal>;
}

export async function askOnce(
  run: Run,
  planned: readonly PlannedVal[],
  { isAnswered, mayDelete, dryRun, isFirst }: AskOptions,
): Promise<Answer> {
  const {
    ask: prompt,
    out: { say },
    host: { agent },
  } = run;
  const isAtTerminal = prompt.isAtTerminal();
  const deletions = mayDelete ? [] : planned.filter(({ step }) => step.kind === 'delete');
  const others = isAnswered ? [] : planned.filter(({ step }) => step.kind === 'ask');
  const deleteInstead = insteadOfDeletion(deletions, others);
  // An agent has the option to delete only if a person allowed it.
  if (deletions.length > 0 && !dryRun && agent === undefined) prompt.expectTerminal(deleteInstead);
  const isFirstChange = ({ look, step }: PlannedVal) =>
    isDeed(step) && step.kind !== 'create' && step.kind !== 'delete' && isFirst(look);
  const isAsked = (each: PlannedVal) =>
    deletions.includes(each) || (!isAnswered && (each.step.kind === 'ask' || isFirstChange(each)));
  const asked = planned.filter(isAsked);
  if (!isAtTerminal || asked.length === 0) return { planned, declined: new Set() };
  say({ kind: 'progress' });
  for (const text of paragraphs(run, asked)) say({ kind: 'lines', text, despite: 'quiet' });
  const answered = {
    planned: planned.map((each) => ({ ...each, step: agreed(each.step) })),
    declined: new Set<PlannedVal>(),
  };
  if (dryRun) {
    say({ kind: 'note', text: 'A push would ask before it changes these vals.' });
    return answered;
  }
  const instead = deletions.length > 0 ? deleteInstead : overwriteInstead;
  if (await prompt.confirm(`${questionFor(asked.map(({ step }) => deedOf(step)))}?`, instead))
    return answered;
  return { planned, declined: new Set(asked) };
}

const overwriteInstead = { text: 'To answer yes', input: { yes: true } };

const mostNamed = 5;

/** --yes also agrees to overwrite the vals in conflict, so the hint names them. */
function insteadOfDeletion(deletions: readonly PlannedVal[], others: readonly PlannedVal[]): Hint {
  const names = (vals: readonly PlannedVal[]) =>
    vals.length > mostNamed ? `${vals.length} vals` : listed(vals.map(({ step }) => step.val.name));
  const purpose =
    others.length === 0
      ? 'To delete'
      : `To delete ${names(deletions)}, and to replace what the service has for ${names(others)},`;
  return { text: `${purpose} without a question`, input: { yes: true } };
}

const deedOf = (step: Step): Deed | undefined => {
  if (step.kind === 'ask') return step.ifAgreed.kind;
  return isDeed(step) ? step.kind : undefined;
};

/** For example "Overwrite 2 vals, and delete 1 val with all its versions". */
function questionFor(deeds: readonly (Deed | undefined)[]): string {
  const count = (...kinds: Deed[]) =>
    deeds.filter((deed) => deed !== undefined && kinds.includes(deed)).length;
  const vals = (number: number) => `${number} val${number === 1 ? '' : 's'}`;
  const [overwritten, renamed, created, deleted] = [
    count('send', 'rename and send'),
    count('rename'),
    count('create'),
    count('delete'),
  ];
  const parts = [
    overwritten === 0 ? '' : `overwrite ${vals(overwritten)}`,
    renamed === 0 ? '' : `rename ${vals(renamed)}`,
    created === 0 ? '' : `make ${vals(created)} anew`,
    deleted === 0 ? '' : `delete ${vals(deleted)} with all ${deleted === 1 ? 'its' : 'their'} versions`,
  ].filter((part) => part !== '');
  const sentence = listed(parts);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** One paragraph for each reason to ask, with a line for each val. */
function paragraphs(run: Run, asked: readonly PlannedVal[]): string[] {
  const groups = new Map<string, string[]>();
  for (const each of asked) {
    const reason = reasonToAsk(each);
    groups.set(reason, [...(groups.get(reason) ?? []), lineFor(run, each)]);
  }
  return [...groups].map(([reason, lines]) => `${reason}:\n${lines.join('')}`);
}

function reasonToAsk({ look, step }: PlannedVal): string {
  if (step.kind === 'delete') return 'The files of these vals are gone';
  if (step.kind !== 'ask')
    return `This is the first push from this folder to ${nameOfService(look.workspace.service)}. It would change these vals`;
  return step.val.status === 'deleted there'
    ? 'These vals were deleted on the service'
    : 'These vals changed here and on the service';
}

function lineFor({ host: { clock } }: Run, { look, step }: PlannedVal): string {
  const { name, file, there } = step.val;
  const nameBefore = nameBeforeOf(step.val);
  const fileVersion = step.val.code === undefined ? undefined : step.val.fileVersion;
  const parts = [
    nameBefore === undefined ? name : `${nameBefore} -> ${name}`,
    there?.version === undefined ? '' : `version ${there.version}`,
    there?.madeAt === undefined ? '' : `changed ${ago(there.madeAt, clock.now())}`,
    there?.madeBy === undefined ? '' : `by ${there.madeBy}`,
    pathTo(look.workspace, file),
    fileVersion === undefined ? '' : `(the file is version ${fileVersion})`,
  ];
  return `  ${visible(parts.filter((part) => part !== '').join('  '))}\n`;
}
