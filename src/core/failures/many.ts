import { PartialError, UnavailableError, UnknownOutcomeError, ValsError } from '../errors.ts';
import { type Hint, type Hints, hintList, someOf } from '../lib/hint.ts';

export interface Failure {
  label: string;
  error: ValsError;
  /** What was not done, if that is not the verb of the others. */
  verb?: string | undefined;
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

/** The error of a command that failed for some of several things. Warnings tell failures of several kinds apart. */
export function summarizeFailures(
  failures: readonly Failure[],
  counts: Counts,
): { error: ValsError | undefined; warnings: Hints[] } {
  const [first] = failures;
  if (first === undefined) return { error: undefined, warnings: [] };
  const { total, done, notTried = 0, consequence } = counts;
  const endings = [
    ...(notTried === 0
      ? []
      : [notTried === 1 ? '1 other was not tried.' : `${notTried} others were not tried.`]),
    ...(total === 1 || consequence === undefined ? [] : [consequence]),
  ];
  if (failures.length === 1 && done === 0) {
    const { error } = first;
    const { message, facts } = error;
    const isWhole = endings.length === 0;
    return {
      error: isWhole ? error : new AllFailed(error, [message, ...endings].join(' '), facts.hint),
      warnings: [],
    };
  }
  const groups = groupAlike(failures);
  const [only, another] = groups;
  const isOneGroup = only !== undefined && another === undefined;
  const reason = isOneGroup ? reasonOf(only) : ` (${labelsOf(failures, 10)}).`;
  const message = [countsOf(failures, counts) + reason, ...endings].join(' ');
  const hint = isOneGroup ? hintsOf(only) : nextStep(failures);
  const isOneKind = failures.every(({ error }) => error.exit === first.error.exit);
  return {
    error:
      done === 0 && isOneKind
        ? new AllFailed(first.error, message, hint)
        : new PartialError(message, { hint }),
    warnings: isOneGroup ? [] : groups.map((group) => [sentenceOf(group), ...hintsOf(group)]),
  };
}

class AllFailed extends ValsError {
  readonly kind: string;
  readonly exit: number;

  constructor(first: ValsError, message: string, hint: Hints | undefined) {
    super(message, { ...first.facts, ofMany: undefined, hint });
    this.kind = first.kind;
    this.exit = first.exit;
  }
}

function countsOf(failures: readonly Failure[], { total, notTried = 0, things, verb }: Counts): string {
  const verbs = [...new Set(failures.map((failure) => failure.verb ?? verb))].join(' or ');
  const failed = failures.length + notTried;
  const isUnknown = failures.some(({ error }) => error instanceof UnknownOutcomeError);
  if (isUnknown) return `${failed} of ${total} ${things} may not have been ${verbs}`;
  if (failed === total) return `None of the ${total} ${things} was ${verbs}`;
  return `${failed} of ${total} ${things} ${failed === 1 ? 'was' : 'were'} not ${verbs}`;
}

function nextStep(failures: readonly Failure[]): string {
  return failures.every(({ error }) => error instanceof UnavailableError)
    ? 'To finish, run the command again.'
    : 'The output above gives the reason and the next step of each failure.';
}

/** Failures with the same message. */
interface Group {
  message: string;
  failures: [Failure, ...Failure[]];
}

function groupAlike(failures: readonly Failure[]): Group[] {
  const groups = new Map<string, Group>();
  for (const failure of failures) {
    const message = failure.error.facts.ofMany ?? failure.error.message;
    const group = groups.get(message);
    if (group === undefined) groups.set(message, { message, failures: [failure] });
    else group.failures.push(failure);
  }
  return [...groups.values()];
}

/** Commands of a hint are about the first thing of the group. */
function hintsOf({ failures: [{ label, error }, another] }: Group): readonly Hint[] {
  const hints = hintList(error.facts.hint);
  const namesFirst = (hint: Hint) =>
    typeof hint === 'object' && hint.parts.some((part) => typeof part === 'object' && part.includes(label));
  return another !== undefined && hints.some(namesFirst) ? [`For ${label}:`, ...hints] : hints;
}

/** The whole message of a single failure, if it names the thing. */
function ownMessage({ failures: [{ label, error }, another] }: Group): string | undefined {
  const namesThing = error.facts.ofMany !== undefined || error.message.startsWith(label);
  return another === undefined && namesThing ? error.message : undefined;
}

const sentenceOf = (group: Group): string =>
  ownMessage(group) ?? `${labelsOf(group.failures, 3)}: ${group.message}`;

function reasonOf(group: Group): string {
  const own = ownMessage(group);
  return own === undefined ? ` (${labelsOf(group.failures, 3)}). ${group.message}` : `: ${own}`;
}

function labelsOf(failures: readonly Failure[], most: number): string {
  const labels = failures.map(({ label }) => label);
  return someOf(labels, { most });
}
