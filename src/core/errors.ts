import { type Hints, hintList, type WriteHints } from './lib/hint.ts';
import type { JsonObject } from './lib/json.ts';
import { errnoOf } from './lib/system.ts';

/** Whom a failure concerns: one of several things, or all of them, because the others would fail in the same way. */
export type Scope = 'item' | 'all';

export interface ErrorFacts {
  hint?: Hints;
  /** `item`, if not given. Whoever does several things stops after a failure that concerns all of them. */
  scope?: Scope;
  /** What the error is about, such as a file. Then the first sentence of the message begins with it. */
  subject?: string | undefined;
  status?: number;
  method?: string;
  path?: string;
  body?: unknown;
  cause?: unknown;
  /** In the file that the error is about, both from 1. */
  place?: { line: number; column: number };
}

export abstract class ValsError extends Error {
  abstract readonly kind: string;
  abstract readonly exit: number;
  readonly facts: ErrorFacts;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, { cause: facts.cause });
    this.name = new.target.name;
    this.facts = facts;
  }

  get scope(): Scope {
    return this.facts.scope ?? 'item';
  }
}

export class UsageError extends ValsError {
  readonly kind = 'usage';
  readonly exit = 2;
}

/** The user answered no. That is no mistake, so the message is shown without the label "error". */
export class DeclinedError extends UsageError {}

/** The value of an option cannot be used. The message lacks its subject: a person and an agent name it differently. */
export class InvalidValue extends Error {
  constructor(
    message: string,
    readonly hint: Hints,
  ) {
    super(message);
  }
}

/** `name` is what the reader of the error calls the value: `--limit`, `limit` or `VALS_TIMEOUT`. */
export function parseNamed<Value>(name: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new UsageError(`${name} ${error.message}`, { hint: error.hint });
  }
}

export class NotFoundError extends ValsError {
  readonly kind = 'not_found';
  readonly exit = 3;
}

export class NoSpaceError extends ValsError {
  readonly kind = 'not_found';
  readonly exit = 3;
}

export class AuthError extends ValsError {
  readonly kind = 'auth';
  readonly exit = 4;
}

export class ConflictError extends ValsError {
  readonly kind = 'conflict';
  readonly exit = 5;
}

export class RefusedError extends ValsError {
  readonly kind = 'refused';
  readonly exit = 6;
}

/** True if one of these statuses is the service's answer. After an attempt that may have been applied, none is. */
export const hasStatus = (error: unknown, ...statuses: number[]): error is ValsError =>
  error instanceof ValsError &&
  !(error instanceof UnknownOutcomeError) &&
  statuses.includes(error.facts.status ?? 0);

/** For `catch`: an error of one of these kinds becomes undefined. */
export const undefinedIf =
  (...kinds: (abstract new (...args: never[]) => Error)[]) =>
  (error: unknown): undefined => {
    if (!kinds.some((kind) => error instanceof kind)) throw error;
  };

/** The service understood the request, but refused its fields or its query. */
export const isInvalidRequest = (error: unknown): error is ValsError => hasStatus(error, 400, 422);

/** Throw this error only if the service changed nothing, because scripts repeat a command after exit code 7. */
export class UnavailableError extends ValsError {
  readonly kind = 'unavailable';
  readonly exit = 7;
}

export class UnknownOutcomeError extends ValsError {
  readonly kind = 'unknown_outcome';
  readonly exit = 8;
}

export class PartialError extends ValsError {
  readonly kind = 'partial';
  readonly exit = 9;
}

/** The user answered no, and what was not asked about was done. */
export class DeclinedInPart extends PartialError {}

export class LocalError extends ValsError {
  readonly kind = 'local';
  readonly exit = 10;

  /** On a full disk, the next file cannot be written either. */
  override get scope(): Scope {
    const isDiskFull = ['ENOSPC', 'EDQUOT'].includes(errnoOf(this.facts.cause) ?? '');
    return isDiskFull ? 'all' : super.scope;
  }
}

export class BadResponseError extends ValsError {
  readonly kind = 'bad_response';
  readonly exit = 11;
}

export class RunFailedError extends ValsError {
  readonly kind = 'run_failed';
  readonly exit = 12;

  constructor(
    message: string,
    facts: ErrorFacts = {},
    readonly details: readonly string[] = [],
    /** The end of what the val printed, for agents. A person has seen it. */
    readonly logs?: string,
  ) {
    super(message, facts);
  }
}

export class InterruptedError extends ValsError {
  readonly kind = 'interrupted';

  constructor(
    readonly exit: number,
    message = 'Interrupted.',
    facts: ErrorFacts = {},
  ) {
    super(message, facts);
  }
}

/** For an error after a part of the work was done. Exit code 7 or a skipped val would mean that nothing was changed. */
export function afterPart(error: unknown, done: string): unknown {
  if (!(error instanceof ValsError)) return error;
  const message = `${error.message} ${done}`;
  if (error instanceof UnavailableError) return new PartialError(message, error.facts);
  if (error instanceof InterruptedError) return new InterruptedError(error.exit, message, error.facts);
  error.message = message;
  // The summary of many errors is made of their first sentences, and would leave out what was done.
  error.facts.subject = undefined;
  return error;
}

/** Tells Ctrl-C from the other signals that end a command. */
export const isCtrlC = (reason: unknown): boolean =>
  reason instanceof InterruptedError && reason.exit === 130;

/** Somebody pressed Ctrl-C to end a command that goes on by itself, which needs no message. */
export const exitQuietly = (error: unknown): unknown =>
  isCtrlC(error) ? new InterruptedError(130, '') : error;

/** For an error that the command has shown already, in a form of its own. */
export const withoutMessage = ({ exit }: ValsError): ValsError => new InterruptedError(exit, '');

export const messageWithHint = ({ message, facts }: ValsError): Hints => [message, ...hintList(facts.hint)];

class BugError extends ValsError {
  readonly kind = 'bug';
  readonly exit = 1;
}

export function asValsError(error: unknown): ValsError {
  if (error instanceof ValsError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new BugError(`Unexpected: ${message}`, {
    hint: 'This is a defect of vals. Add --debug to the command, and report what it prints.',
    scope: 'all',
    cause: error,
  });
}

/** Describes an error for a program. */
export async function describeError(
  { kind, exit, message, facts }: ValsError,
  write: WriteHints,
): Promise<JsonObject> {
  const { status, method, path, body } = facts;
  const hint = facts.hint === undefined ? undefined : await write(facts.hint);
  return Object.fromEntries(
    Object.entries({ kind, exit, message, hint, status, method, path, body }).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  ) as JsonObject;
}

/** Describes the errors of outcomes. */
export const describeRows = (
  rows: readonly Readonly<Record<string, unknown>>[],
  write: WriteHints,
): Promise<JsonObject[]> =>
  Promise.all(
    rows.map(async (row) => {
      const error = row.error instanceof ValsError ? await describeError(row.error, write) : row.error;
      return { ...row, ...(error !== undefined && { error }) } as JsonObject;
    }),
  );

/** Nothing else can be sent or read after such an error. */
export const concernsAll = (error: unknown): boolean => error instanceof ValsError && error.scope === 'all';

/** For what goes on by itself: unlike a refused token, an outage is over at some time. */
export const endsWatch = (error: unknown): boolean =>
  !(error instanceof ValsError) || (concernsAll(error) && !(error instanceof UnavailableError));
