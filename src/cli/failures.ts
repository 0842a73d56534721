import { PartialError, UnavailableError, ValsError } from '../errors.ts';
import { replaceInCommands, splitAtCommand } from '../lib/shell-command.ts';

export interface Failure {
  label: string;
  error: ValsError;
  verb?: string;
}

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
  verb: string;
  things: string;
  consequence?: string;
}

export function summarizeFailures(
  failures: readonly Failure[],
  { total, done, verb, things, consequence }: Counts,
): { error: ValsError | undefined; warnings: string[] } {
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
    failures.map(({ label, error }) => ({ label, error, message: error.message, hint: error.facts.hint })),
    ({ error }) => error.exit,
  );
  const failed = failures.length;
  const verbs = [...new Set(failures.map((failure) => failure.verb ?? verb))].join(' or ');
  const counts =
    failed === total
      ? `None of the ${total} ${things} was ${verbs}`
      : `${failed} of ${total} ${things} ${failed === 1 ? 'was' : 'were'} not ${verbs}`;
  const only = groups.length === 1 ? groups[0] : undefined;
  const summary = only === undefined ? `${counts}.` : countsWithReason(counts, only);
  const hint = only === undefined ? nextStep(groups) : only.hint;
  const isOneKind = failures.every(({ error }) => error.exit === first.error.exit);
  return {
    error:
      done === 0 && isOneKind
        ? new AllFailed(first.error, summary + suffix, hint)
        : new PartialError(summary, { hint }),
    warnings:
      only === undefined
        ? groups.map((group) => [sentence(group), group.hint].filter(Boolean).join(' '))
        : [],
  };
}

export interface Remarked {
  label: string;
  message: string;
  hint?: string | undefined;
}

function groupAlike<Item extends Remarked>(
  items: readonly Item[],
  kindOf: (item: Item) => number = () => 0,
): (Item & { labels: string[] })[] {
  const groups = new Map<string, Item & { labels: string[] }>();
  for (const item of items) {
    const { label } = item;
    const message = withoutLabel(label, item.message);
    const hint = item.hint && withoutLabel(label, item.hint);
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

export const summarizeRemarks = (remarks: readonly Remarked[]): string[] => groupAlike(remarks).map(sentence);

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

const maxLabelsInMessage = 3;

interface Group {
  labels: readonly string[];
  message: string;
}

const sentence = (group: Group): string =>
  sentenceAbout(group) ?? `${enumerate(group.labels)}: ${group.message}`;

const countsWithReason = (counts: string, group: Group): string => {
  const reason = sentenceAbout(group);
  return reason === undefined
    ? `${counts} (${enumerate(group.labels)}). ${group.message}`
    : `${counts}: ${reason}`;
};

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

function sentenceAbout({ labels, message }: Group): string | undefined {
  const [label = ''] = labels;
  if (labels.length === 1) return message.startsWith(label) ? message : undefined;
  const [verb = '', ...others] = message.split(' ');
  const plural = pluralVerbs[verb];
  return plural === undefined ? undefined : [enumerate(labels), plural, ...others].join(' ');
}

function enumerate(labels: readonly string[]): string {
  if (labels.length === 1) return labels.join('');
  const more = labels.length - maxLabelsInMessage;
  const last = more > 0 ? `${more} more` : labels.at(-1);
  return `${labels.slice(0, more > 0 ? maxLabelsInMessage : -1).join(', ')} and ${last}`;
}

function nextStep(groups: readonly Failure[]): string {
  return groups.every(({ error }) => error instanceof UnavailableError)
    ? 'To finish, run the command again.'
    : 'The warnings above give the reasons and the next steps.';
}
