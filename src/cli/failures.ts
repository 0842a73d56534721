// The failures of one command that did many things: those that are alike are said once, with how many there are.
import { PartialError, UnavailableError, ValsError } from '../errors.ts';
import { quoteWord } from '../lib/shell-command.ts';

export interface Failure {
  /** What the user calls it. */
  label: string;
  error: ValsError;
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
  const groups = group(
    failures.map(({ label, error }) => ({ label, error, message: error.message, hint: error.facts.hint })),
    ({ error }) => error.exit,
  );
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

/** What is said of one thing among many. */
export interface Remarked {
  label: string;
  message: string;
  hint?: string | undefined;
}

/** Those that differ in nothing but their labels together; `kindOf` says what else keeps them apart. */
function group<Item extends Remarked>(
  items: readonly Item[],
  kindOf: (item: Item) => number = () => 0,
): (Item & { labels: string[] })[] {
  const groups = new Map<string, Item & { labels: string[] }>();
  for (const item of items) {
    const { label } = item;
    const message = without(label, item.message);
    const hint = item.hint && without(label, item.hint);
    const key = JSON.stringify([kindOf(item), message, hint ?? '']);
    const alike = groups.get(key);
    if (alike === undefined) groups.set(key, { ...item, labels: [label] });
    else {
      alike.labels.push(label);
      Object.assign(alike, { message, hint });
    }
  }
  return [...groups.values()];
}

/** A sentence for each group of remarks that are alike. */
export const summarizeRemarks = (remarks: readonly Remarked[]): string[] => group(remarks).map(sentence);

/** `vals push a.ts --force` is for one file; `vals push --force` is for all of them. */
function without(label: string, text: string): string {
  const [first = '', ...others] = (text.startsWith(`${label} `) ? text.slice(label.length + 1) : text)
    .replaceAll(quoteWord(label), label)
    .split(` ${label}`);
  // A short name may be the beginning of a word.
  return others.reduce((said, rest) => said + (/^[\p{L}\d]/u.test(rest) ? ` ${label}` : '') + rest, first);
}

const mostNamed = 3;

function sentence({ labels, message }: { labels: readonly string[]; message: string }): string {
  const [label = ''] = labels;
  if (labels.length === 1) return message.startsWith(label) ? message : `${label}: ${message}`;
  const more = labels.length - mostNamed;
  const named = labels.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `${named}: ${message}`;
}

/** Doing the same again helps only where the service could not be had. */
function nextStep(groups: readonly Failure[]): string {
  return groups.every(({ error }) => error instanceof UnavailableError)
    ? 'Run it again for those.'
    : 'Each of them says why, and what to do about it.';
}
