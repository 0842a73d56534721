import { type Hints, hintList, withFullStop } from './lib/hint.ts';
import { errnoOf } from './lib/system.ts';

/** Whom a failure concerns: one of several things, or all of them, because the others would fail in the same way. */
export type Scope = 'item' | 'all';

export interface ErrorFacts {
  hint?: Hints;
  /** `item`, if not given. Whoever does several things stops after a failure that concerns all of them. */
  scope?: Scope;
  /** The message without the name of the thing that it is about, such as a file, to be said of several. */
  ofMany?: string | undefined;
  status?: number;
  method?: string;
  path?: string;
  body?: unknown;
  cause?: unknown;
  /** In the file that the error is about, both from 1. */
  place?: { line: number; column: number };
  /** What the command writes before the message, such as the lines of a stack. */
  details?: readonly string[];
  /** The end of what a val printed, for agents. A person has seen it. */
  logs?: string;
}

export abstract class ValsError extends Error {
  abstract readonly kind: string;
  abstract readonly exit: number;

  constructor(
    message: string,
    readonly facts: ErrorFacts = {},
  ) {
    super(message, { cause: facts.cause });
  }

  get scope(): Scope {
    // On a full disk, the next file cannot be written either.
    return isDiskFull(this.facts.cause) ? 'all' : (this.facts.scope ?? 'item');
  }
}

const isDiskFull = (cause: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(errnoOf(cause) ?? '');

const errorOf = <Kind extends string, Exit extends number>(kind: Kind, exit: Exit) =>
  class extends ValsError {
    readonly kind = kind;
    readonly exit = exit;
  };

class BugError extends errorOf('bug', 1) {}
export class UsageError extends errorOf('usage', 2) {}
export class NotFoundError extends errorOf('not_found', 3) {}
export class NoSpaceError extends errorOf('not_found', 3) {}
export class AuthError extends errorOf('auth', 4) {}
export class ConflictError extends errorOf('conflict', 5) {}
export class RefusedError extends errorOf('refused', 6) {}
/** Throw this error only if the service changed nothing, because scripts repeat a command after exit code 7. */
export class UnavailableError extends errorOf('unavailable', 7) {}
export class UnknownOutcomeError extends errorOf('unknown_outcome', 8) {}
export class PartialError extends errorOf('partial', 9) {}
export class LocalError extends errorOf('local', 10) {}
export class BadResponseError extends errorOf('bad_response', 11) {}
export class RunFailedError extends errorOf('run_failed', 12) {}

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

/** Tells Ctrl-C from the other signals that end a command. */
export const isCtrlC = (reason: unknown): boolean =>
  reason instanceof InterruptedError && reason.exit === 130;

/** Somebody pressed Ctrl-C to end a command that goes on by itself, which needs no message. */
export const exitQuietly = (error: unknown): unknown =>
  isCtrlC(error) ? new InterruptedError(130, '') : error;

export const messageWithHint = ({ message, facts }: ValsError): Hints => [
  withFullStop(message),
  ...hintList(facts.hint),
];

export function asValsError(error: unknown): ValsError {
  if (error instanceof ValsError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new BugError(`Unexpected: ${message}`, {
    hint: 'This is a defect of vals. Add --debug to the command, and report what it prints.',
    scope: 'all',
    cause: error,
  });
}
