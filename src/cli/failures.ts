// The failures of one command that did many things: those that are alike are said once, with how many there are.
import { PartialError, UnavailableError, ValsError } from '../errors.ts';

export interface Failure {
  /** What the user calls it. */
  label: string;
  error: ValsError;
}

/** Failures that differ in nothing but what they happened to. */
interface Alike {
  labels: string[];
  error: ValsError;
  message: string;
  hint: string | undefined;
}

/** Many failures of one kind, as one error of that kind. */
class AllFailed extends ValsError {
  readonly kind: string;
  readonly exit: number;

  constructor(first: ValsError, message: string, hint: string | undefined) {
    super(message, { ...first.facts, hint });
    this.kind = first.kind;
    this.exit = first.exit;
  }
}

export interface Counts {
  total: number;
  done: number;
  /** What is to be added where one failure kept all of them from being begun. */
  consequence?: string;
}

/** The error of the whole command, and the warnings that say what it leaves out. */
export function summarizeFailures(
  failures: readonly Failure[],
  { total, done, consequence }: Counts,
): { error: ValsError | undefined; warnings: string[] } {
  const [first] = failures;
  if (first === undefined) return { error: undefined, warnings: [] };
  const after = consequence === undefined || total === 1 ? '' : ` ${consequence}`;
  if (failures.length === 1 && done === 0) {
    const { error } = first;
    const { hint } = error.facts;
    return { error: after === '' ? error : new AllFailed(error, error.message + after, hint), warnings: [] };
  }
  const groups = group(failures);
  const counts = `${failures.length} of ${total} failed`;
  const [only] = groups;
  const isOneGroup = only !== undefined && groups.length === 1;
  const isOneKind = failures.every(({ error }) => error.exit === first.error.exit);
  if (done === 0 && isOneGroup) {
    return {
      error: new AllFailed(first.error, `${counts}: ${sentence(only)}${after}`, only.hint),
      warnings: [],
    };
  }
  if (isOneGroup) {
    const message = `${counts}, ${done} done: ${sentence(only)}`;
    return { error: new PartialError(message, { hint: only.hint }), warnings: [] };
  }
  const warnings = groups.map((alike) => [sentence(alike), alike.hint].filter(Boolean).join(' '));
  if (done === 0 && isOneKind) {
    return { error: new AllFailed(first.error, `${counts}.${after}`, nextStep(groups)), warnings };
  }
  return { error: new PartialError(`${counts}, ${done} done.`, { hint: nextStep(groups) }), warnings };
}

function group(failures: readonly Failure[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const { label, error } of failures) {
    const { message, facts } = error;
    const key = JSON.stringify([error.exit, without(label, message), without(label, facts.hint ?? '')]);
    const alike = groups.get(key);
    if (alike === undefined) groups.set(key, { labels: [label], error, message, hint: facts.hint });
    else {
      alike.labels.push(label);
      alike.message = without(label, message);
      alike.hint = facts.hint && without(label, facts.hint);
    }
  }
  return [...groups.values()];
}

export interface Remarked {
  label: string;
  message: string;
}

/** A sentence for each group of remarks that are alike. */
export function summarizeRemarks(remarks: readonly Remarked[]): string[] {
  const groups = new Map<string, { labels: string[]; message: string }>();
  for (const { label, message } of remarks) {
    const key = without(label, message);
    const alike = groups.get(key);
    if (alike === undefined) groups.set(key, { labels: [label], message });
    else {
      alike.labels.push(label);
      alike.message = key;
    }
  }
  return [...groups.values()].map(sentence);
}

/** `vals push a.ts --force` is for one; `vals push --force` is for all. */
const without = (label: string, text: string): string => {
  const [first = '', ...others] = (text.startsWith(`${label} `) ? text.slice(label.length + 1) : text).split(
    ` ${label}`,
  );
  // A short name may be the beginning of a word.
  return others.reduce((said, rest) => said + (/^[\p{L}\d]/u.test(rest) ? ` ${label}` : '') + rest, first);
};

const mostNamed = 3;

function sentence({ labels, message }: Pick<Alike, 'labels' | 'message'>): string {
  const [label = ''] = labels;
  if (labels.length === 1) return message.startsWith(label) ? message : `${label}: ${message}`;
  const more = labels.length - mostNamed;
  const named = labels.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `${named}: ${message}`;
}

/** Doing the same again helps only where the service could not be had. */
function nextStep(groups: readonly Alike[]): string {
  return groups.every(({ error }) => error instanceof UnavailableError)
    ? 'Run it again for those.'
    : 'Each of them says why, and what to do about it.';
}
