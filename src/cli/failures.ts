import { PartialError, type Problem, UnavailableError, ValsError } from '../errors.ts';
import { type Hint, type Hints, hintList, keyOfHints, mergeHints } from '../lib/hint.ts';
import { replaceInCommands, splitAtCommand } from '../lib/shell-command.ts';

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
  verb: string;
  things: string;
  consequence?: string;
}

export function summarizeFailures(
  failures: readonly Failure[],
  { total, done, verb, things, consequence }: Counts,
): { error: ValsError | undefined; warnings: Hints[] } {
  const [first] = failures;
  if (first === undefined) return { error: undefined, warnings: [] };
  const suffix = consequence === undefined || total === 1 ? '' : ` ${consequence}`;
  if (failures.length === 1 && done === 0) {
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
  const failed = failures.length;
  const verbs = [...new Set(failures.map((failure) => failure.verb ?? verb))].join(' or ');
  const counts =
    failed === total
      ? `None of the ${total} ${things} was ${verbs}`
      : `${failed} of ${total} ${things} ${failed === 1 ? 'was' : 'were'} not ${verbs}`;
  const only = groups.length === 1 ? groups[0] : undefined;
  const summary = only === undefined ? `${counts}.` : countsWithReason(counts, only);
  const hint = only === undefined ? nextStep(failures) : only.hints;
  const isOneKind = failures.every(({ error }) => error.exit === first.error.exit);
  return {
    error:
      done === 0 && isOneKind
        ? new AllFailed(first.error, summary + suffix, hint)
        : new PartialError(summary, { hint }),
    warnings: only === undefined ? groups.map((group) => [sentence(group), ...group.hints]) : [],
  };
}

export interface Remarked {
  label: string;
  message: string;
  problem?: Problem | undefined;
  hints?: readonly Hint[];
  /** Only remarks of one kind are put together. */
  kind?: number;
}

interface Group {
  labels: string[];
  message: string;
  problem: Problem | undefined;
  hints: Hint[];
}

function groupAlike(items: readonly Remarked[]): Group[] {
  const groups = new Map<string, { group: Group; hints: Hint[][] }>();
  for (const item of items) {
    const { label, kind, hints = [] } = item;
    const problem = item.problem ?? problemIn(label, item.message);
    const message = problem === undefined ? withoutLabel(label, item.message) : '';
    const general = hints.map((hint) =>
      hint.input || hint.command ? hint : { text: withoutLabel(label, hint.text) },
    );
    const key = JSON.stringify([kind, problem ?? message, keyOfHints(general)]);
    const alike = groups.get(key);
    if (alike === undefined) {
      const group = { labels: [label], message: item.message, problem, hints: [...hints] };
      groups.set(key, { group, hints: [general] });
    } else {
      alike.group.labels.push(label);
      alike.hints.push(general);
      alike.group.hints = mergeHints(alike.hints);
      alike.group.message = message;
    }
  }
  return [...groups.values()].map(({ group }) => group);
}

export const summarizeRemarks = (remarks: readonly Remarked[]): Hints[] =>
  groupAlike(remarks).map((group) => [sentence(group), ...group.hints]);

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

// The functions below are for messages whose errors have no subject and problem yet.

const pluralVerbs: Record<string, string | undefined> = {
  is: 'are',
  was: 'were',
  has: 'have',
  does: 'do',
  holds: 'hold',
  differs: 'differ',
  changed: 'changed',
  cannot: 'cannot',
  could: 'could',
};

function problemIn(label: string, message: string): Problem | undefined {
  if (!message.startsWith(`${label} `)) return undefined;
  const one = withoutLabel(label, message).replace(/\.$/, '');
  const [verb = '', ...others] = one.split(' ');
  const plural = pluralVerbs[verb];
  return plural === undefined ? undefined : { one, many: [plural, ...others].join(' ') };
}

function withoutLabel(label: string, text: string): string {
  const [prose, commands] = splitAtCommand(
    text.startsWith(`${label} `) ? text.slice(label.length + 1) : text,
  );
  const [first = '', ...others] = prose.split(` ${label}`);
  let shortened = first;
  for (const rest of others) {
    const isPartOfWord = /^[\p{L}\d]/u.test(rest);
    shortened += isPartOfWord ? ` ${label}${rest}` : rest;
  }
  // Without a val, a command such as `vals push --force` would also change vals that the message does not name.
  return shortened + replaceInCommands(commands, label, '<val>');
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
    : 'The warnings above give the reasons and the next steps.';
}
