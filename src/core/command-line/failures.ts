import { PartialError, type Problem, UnavailableError, UnknownOutcomeError, ValsError } from '../errors.ts';
import { type Hint, type Hints, hintList, keyOfHints, mergeHints } from '../lib/hint.ts';

export interface Failure {
  label: string;
  error: ValsError;
  verb?: string;
}

class AllFailed extends ValsError {
  readonly kind: string;
  readonly exit: number;

  constructor(first: ValsError, message: string, hint: Hints | undefined) {
    super(message, { ...first.facts, subject: undefined, problem: undefined, hint });
    this.kind = first.kind;
    this.exit = first.exit;
  }
}

export interface Counts {
  total: number;
  done: number;
  /** How many were not begun, because an earlier failure concerned all of them. */
  notTried?: number;
  verb: string;
  things: string;
  /** A sentence that ends the summary. */
  consequence?: string | undefined;
}

export function summarizeFailures(
  failures: readonly Failure[],
  { total, done, notTried = 0, verb, things, consequence }: Counts,
): { error: ValsError | undefined; warnings: Hints[] } {
  const [first] = failures;
  if (first === undefined) return { error: undefined, warnings: [] };
  const isOnly = failures.length === 1 && done === 0;
  const others = notTried === 1 ? '1 other was not tried.' : `${notTried} others were not tried.`;
  const suffix = [notTried === 0 ? '' : others, total === 1 ? '' : consequence]
    .filter(Boolean)
    .map((sentence) => ` ${sentence}`)
    .join('');
  if (isOnly) {
    const { error } = first;
    const { hint } = error.facts;
    return {
      error: suffix === '' ? error : new AllFailed(error, error.message + suffix, hint),
      warnings: [],
    };
  }
  const groups = groupAlike(
    failures.map(({ label, error }) => ({
      label: error.facts.subject ?? label,
      problem: error.facts.problem,
      message: error.message,
      hints: hintList(error.facts.hint),
      kind: error.exit,
    })),
  );
  const verbs = [...new Set(failures.map((failure) => failure.verb ?? verb))].join(' or ');
  const counts = countsOf(failures, { total, notTried, things, verbs });
  const only = groups.length === 1 ? groups[0] : undefined;
  const summary = only === undefined ? `${counts}.` : countsWithReason(counts, only);
  const hint = only === undefined ? nextStep(failures) : only.hints;
  const isOneKind = failures.every(({ error }) => error.exit === first.error.exit);
  return {
    error:
      done === 0 && isOneKind
        ? new AllFailed(first.error, summary + suffix, hint)
        : new PartialError(summary + suffix, { hint }),
    warnings: only === undefined ? groups.map((group) => [sentence(group), ...group.hints]) : [],
  };
}

function countsOf(
  failures: readonly Failure[],
  { total, notTried, things, verbs }: { total: number; notTried: number; things: string; verbs: string },
): string {
  const failed = failures.length + notTried;
  const isUnknown = failures.some(({ error }) => error instanceof UnknownOutcomeError);
  if (isUnknown) return `${failed} of ${total} ${things} may not have been ${verbs}`;
  if (failed === total) return `None of the ${total} ${things} was ${verbs}`;
  return `${failed} of ${total} ${things} ${failed === 1 ? 'was' : 'were'} not ${verbs}`;
}

/** A sentence, or a subject and what is to be said of it. */
type Remark = string | { subject: string; problem: Problem };

export interface Remarked {
  remark: Remark;
  hints: readonly Hint[];
}

interface Item {
  label: string;
  message: string;
  problem: Problem | undefined;
  hints: readonly Hint[];
  /** Only errors of one kind are put together. */
  kind?: number;
}

interface Group {
  labels: string[];
  message: string;
  problem: Problem | undefined;
  hints: Hint[];
}

function groupAlike(items: readonly Item[]): Group[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const { kind, problem, message, hints } = item;
    const key = JSON.stringify([kind, problem ?? message, keyOfHints(hints)]);
    const alike = groups.get(key) ?? [];
    alike.push(item);
    groups.set(key, alike);
  }
  return [...groups.values()].map((alike) => ({
    labels: alike.map(({ label }) => label),
    message: alike[0]?.message ?? '',
    problem: alike[0]?.problem,
    hints: mergeHints(alike.map(({ hints }) => hints)),
  }));
}

export type AddRemark = (remark: Remark, hints?: Hints) => void;

/** Collects remarks about several things, for `summarizeRemarks`. */
export const addTo =
  (remarks: Remarked[]): AddRemark =>
  (remark, hints) =>
    void remarks.push({ remark, hints: hintList(hints) });

export function summarizeRemarks(remarks: readonly Remarked[]): Hints[] {
  const items = remarks.map(({ remark, hints }): Item => {
    if (typeof remark === 'string') return { label: '', message: remark, problem: undefined, hints };
    const { subject, problem } = remark;
    return { label: subject, message: `${subject} ${oneOf(problem)}.`, problem, hints };
  });
  return groupAlike(items).map((group) => [sentenceAbout(group) ?? group.message, ...group.hints]);
}

const oneOf = (problem: Problem): string => (typeof problem === 'string' ? problem : problem.one);

const maxLabelsInMessage = 3;

const sentence = (group: Group): string =>
  sentenceAbout(group) ?? `${enumerate(group.labels)}: ${group.message}`;

const countsWithReason = (counts: string, group: Group): string => {
  const reason = sentenceAbout(group);
  return reason === undefined
    ? `${counts} (${enumerate(group.labels)}). ${group.message}`
    : `${counts}: ${reason}`;
};

function sentenceAbout({ labels, message, problem }: Group): string | undefined {
  const [label = ''] = labels;
  if (labels.length === 1 && (problem !== undefined || message.startsWith(label))) return message;
  if (problem === undefined) return undefined;
  return `${enumerate(labels)} ${typeof problem === 'string' ? problem : problem.many}.`;
}

function enumerate(labels: readonly string[]): string {
  if (labels.length === 1) return labels.join('');
  const more = labels.length - maxLabelsInMessage;
  const last = more > 0 ? `${more} more` : labels.at(-1);
  return `${labels.slice(0, more > 0 ? maxLabelsInMessage : -1).join(', ')} and ${last}`;
}

function nextStep(failures: readonly Failure[]): string {
  return failures.every(({ error }) => error instanceof UnavailableError)
    ? 'To finish, run the command again.'
    : 'The output above gives the reason and the next step of each failure.';
}
