// What a command says, shows and returns.
import { ValsError } from '../errors.ts';
import type { Hints, WriteHints } from '../lib/hint.ts';
import type { JsonObject, JsonValue, Page } from '../lib/json.ts';
import type { Column } from './column.ts';

type Pages = AsyncIterable<Page>;

export interface RecordResult {
  kind: 'record';
  record: JsonObject;
  columns?: readonly Column[];
  /** A person sees these fields and no others, and below them the text. */
  forPerson?: { columns: readonly Column[]; text: string };
  error?: ValsError | undefined;
}

export interface ListResult {
  kind: 'list';
  /** If one of the things failed, its row has the error. */
  rows: readonly OutcomeRow[] | Pages;
  /** The pages have no end. Each is shown as it comes. */
  goesOn?: boolean;
  columns?: readonly Column[];
  inBlocks?: boolean;
  total?: JsonObject | undefined;
  /** A minor note, said after the rows. */
  note?: Hints | undefined;
  emptyHint?: Hints;
  error?: ValsError | undefined;
}

export interface ShownDiff {
  patch: string;
  heading?: Hints;
  forTerminal: string;
}

export interface DiffsResult {
  kind: 'diffs';
  rows: readonly JsonObject[];
  diffs: readonly ShownDiff[];
  columns?: readonly Column[];
  error?: ValsError | undefined;
}

export interface JsonResult {
  kind: 'json';
  value: JsonValue;
}

export interface TextResult {
  kind: 'text';
  text: string | AsyncIterable<Buffer>;
}

export type Result = (
  | RecordResult
  | ListResult
  | DiffsResult
  | TextResult
  | JsonResult
  | { kind: 'nothing' }
) & {
  /**
   * The one line that a person sees in place of the record of a change. Without it, the line is made from the outcome. Empty
   * if a note has said it already.
   */
  sentence?: string | undefined;
};

/** The rows of a list that is there already. */
export type Rows = ListResult & { rows: readonly OutcomeRow[] };

/** The error of a command that could do only a part of its work. */
export const errorIn = (result: Result): ValsError | undefined =>
  'error' in result ? result.error : undefined;

/** A list that is there already is one page. */
export const pagesOf = (rows: ListResult['rows'], write: WriteHints): Pages | Page[] =>
  Symbol.asyncIterator in rows ? rows : [{ records: describeRows(rows, write) }];

/** The rows of a command that says what became of each of several things. */
export const outcomesIn = (result: Result): readonly OutcomeRow[] =>
  result.kind === 'list' && !(Symbol.asyncIterator in result.rows) ? result.rows : [];

export function moreRecords(end: Page['end']): string | undefined {
  if (end === 'more') return 'There are more records.';
  return end === 'maybe' ? 'There may be more records.' : undefined;
}

export type OutcomeStatus =
  | 'created'
  | 'pushed'
  /** The service accepted it. No answer showed whether anything changed. */
  | 'sent'
  | 'pulled'
  | 'merged'
  | 'deleted'
  | 'unchanged'
  /** The val changed on the service. The file did not change. */
  | 'behind'
  /** The file changed, and was not overwritten. */
  | 'kept'
  | 'skipped'
  | 'failed'
  | 'planned';

const changes: ReadonlySet<unknown> = new Set<OutcomeStatus>([
  'created',
  'pushed',
  'sent',
  'pulled',
  'merged',
  'deleted',
]);

export const countChanges = (outcomes: readonly OutcomeRow[]): number =>
  outcomes.filter(({ status }) => changes.has(status)).length;

export function countOutcomes(outcomes: readonly OutcomeRow[]): string {
  const byStatus = new Map<string, number>();
  for (const { status } of outcomes) byStatus.set(`${status}`, (byStatus.get(`${status}`) ?? 0) + 1);
  return [...byStatus].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** Undefined for several outcomes, and for what a table says better. */
export function sentenceOfOne([only, another]: readonly OutcomeRow[]): string | undefined {
  if (only === undefined || another !== undefined) return undefined;
  const { status, name, version } = only;
  switch (status) {
    case 'created':
      return `Created ${name}.`;
    case 'pushed':
      return `${name} is now version ${version}.`;
    case 'sent':
      return version === undefined ? `The service accepted ${name}.` : `${name} is now version ${version}.`;
    case 'deleted':
      return `Deleted ${name}.`;
    default:
      return undefined;
  }
}

export type Outcome = JsonObject & { status: OutcomeStatus };

/** What happened to one thing. If it failed, `error` is the error itself, which the presenter describes. */
export type OutcomeRow = Readonly<Record<string, JsonValue | Error | undefined>>;

/** Describes an error for a program. */
export function describeError({ kind, exit, message, facts }: ValsError, write: WriteHints): JsonObject {
  const { status, method, path, body } = facts;
  const hint = facts.hint === undefined ? undefined : write(facts.hint);
  return Object.fromEntries(
    Object.entries({ kind, exit, message, hint, status, method, path, body }).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  ) as JsonObject;
}

/** Describes the errors in the rows. */
export const describeRows = (
  rows: readonly Readonly<Record<string, unknown>>[],
  write: WriteHints,
): JsonObject[] =>
  rows.map((row) => {
    const error = row.error instanceof ValsError ? describeError(row.error, write) : row.error;
    return { ...row, ...(error !== undefined && { error }) } as JsonObject;
  });

/** Something that a command says beside its result. A terminal writes it to stderr, and a tool adds it to its result. */
export type Event =
  /** With `onlyInText`, nothing is shown with --json, because the JSON already contains the problem. */
  | { kind: 'warning'; text: Hints; onlyInText?: boolean }
  /** --quiet hides it, if it is `minor`. */
  | { kind: 'note'; text: Hints; minor?: boolean }
  /** Shown after the result, and only if the output is a terminal. */
  | { kind: 'hint'; text: Hints }
  /** The last line, for a person. The details follow in brackets. */
  | { kind: 'done'; text: string; details?: readonly string[] }
  /** What the command waits for. Without a text, or when a result or a question is shown, it disappears. */
  | { kind: 'progress'; text?: string }
  /** One request, for --debug. */
  | { kind: 'trace'; text: string }
  /**
   * Lines for a person at a terminal; --quiet hides them. Indented lines are not wrapped, so that the user can copy them.
   * With `despite: 'quiet'`, --quiet does not hide them. With `despite: 'pipe'`, they are also written into a pipe.
   */
  | { kind: 'lines'; text: string; despite?: 'quiet' | 'pipe' }
  /** Records that a question is about. */
  | { kind: 'table'; records: readonly JsonObject[]; columns: readonly Column[] };

export type Say = (event: Event) => void;

/** For a function that can only warn. */
export const warnWith =
  (say: Say) =>
  (text: Hints | undefined): void => {
    if (text !== undefined) say({ kind: 'warning', text });
  };

/** Shows what a command does. There are two: a terminal or pipe, and the tool of an agent. */
export interface Out {
  /** True for text at a terminal. With --color, also true for text in a pipe. */
  readonly forPerson: boolean;
  say: Say;
  /** Resolves when everything that was said is written and no progress is shown, so that a question can follow. */
  flush(): Promise<void>;
  show(result: Result): Promise<void>;
  /** Shows one row of a command that goes on, such as a file that was pushed on save. */
  row(record: OutcomeRow, columns: readonly Column[]): Promise<void>;
  /** Writes a line to stdout as it is. */
  print(line: string): Promise<void>;
  /** Removes the token from a text. */
  redact(text: string): string;
}
