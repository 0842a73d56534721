import { PartialError, UnavailableError, UnknownOutcomeError, ValsError } from '../errors.ts';
import { type Hint, type Hints, hintList } from '../lib/hint.ts';

export interface Failure {
  label: string;
  error: ValsError;
  verb?: string;
}

class AllFailed extends ValsError {
  readonly kind: string;
  readonly exit: number;

  constructor(first: ValsError, message: string, hint: Hints | undefined) {
    super(message, { ...first.facts, subject: undefined, hint });
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
      frame: frameOf(error.message, error.facts.subject),
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

/** The first sentence of a message without its subject, as it can be said of several things, too. */
interface Frame {
  before: string;
  after: string;
}

function frameOf(message: string, subject: string | undefined): Frame | undefined {
  if (subject === undefined) return undefined;
  const index = message.startsWith(subject) ? 0 : message.indexOf(` ${subject}.`) + 1;
  if (index === 0 && !message.startsWith(subject)) return undefined;
  const after = /^.*?[.?!](?= |$)/s.exec(message.slice(index + subject.length))?.[0];
  return after === undefined ? undefined : { before: message.slice(0, index), after };
}

/** A sentence, or a subject and what is to be said of it: "is not UTF-8". */
type Remark = string | { subject: string; problem: string };

export interface Remarked {
  remark: Remark;
  hints: readonly Hint[];
}

interface Item {
  label: string;
  message: string;
  frame: Frame | undefined;
  hints: readonly Hint[];
  /** Only errors of one kind are put together. */
  kind?: number;
}

interface Group extends Item {
  labels: string[];
}

function groupAlike(items: readonly Item[]): Group[] {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const key = JSON.stringify([item.kind, item.frame ?? item.message]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ...item, labels: [item.label] });
    else group.labels.push(item.label);
  }
  return [...groups.values()].map((group) => ({ ...group, hints: hintsOf(group) }));
}

/** Commands of a hint are about the first thing of the group. */
function hintsOf({ labels: [first = '', ...others], hints }: Group): readonly Hint[] {
  const namesFirst = (hint: Hint) =>
    typeof hint === 'object' && hint.parts.some((part) => typeof part === 'object' && part.includes(first));
  return others.length > 0 && hints.some(namesFirst) ? [`For ${first}:`, ...hints] : hints;
}

export type AddRemark = (remark: Remark, hints?: Hints) => void;

/** Collects remarks about several things, for `summarizeRemarks`. */
export const addTo =
  (remarks: Remarked[]): AddRemark =>
  (remark, hints) =>
    void remarks.push({ remark, hints: hintList(hints) });

export function summarizeRemarks(remarks: readonly Remarked[]): Hints[] {
  const items = remarks.map(({ remark, hints }): Item => {
    if (typeof remark === 'string') return { label: '', message: remark, frame: undefined, hints };
    const { subject, problem } = remark;
    const message = `${subject} ${problem}.`;
    return { label: subject, message, frame: frameOf(message, subject), hints };
  });
  return groupAlike(items).map((group) => [sentenceAbout(group) ?? group.message, ...group.hints]);
}

const maxLabelsInMessage = 3;

const sentence = (group: Group): string =>
  sentenceAbout(group) ?? `${enumerate(group.labels)}: ${group.message}`;

const countsWithReason = (counts: string, group: Group): string => {
  const reason = sentenceAbout(group);
  return reason === undefined
    ? `${counts} (${enumerate(group.labels)}). ${group.message}`
    : `${counts}: ${reason}`;
};

function sentenceAbout({ labels, message, frame }: Group): string | undefined {
  if (labels.length === 1 && (frame !== undefined || message.startsWith(labels[0] ?? ''))) return message;
  if (frame === undefined) return undefined;
  const { before, after } = frame;
  return `${before}${enumerate(labels)}${before === '' ? ofMany(after) : after}`;
}

const manyForms: Readonly<Record<string, string>> = { is: 'are', was: 'were', has: 'have', does: 'do' };

/** " is not UTF-8." of one thing is " are not UTF-8." of several. */
const ofMany = (after: string): string =>
  after.replace(/^ (is|was|has|does)\b/, (_match, verb: string) => ` ${manyForms[verb]}`);

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
