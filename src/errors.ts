// The errors that end a command: one class per exit code.
import type { JsonObject } from './lib/json.ts';

export interface ErrorFacts {
  /** What to do next, as one sentence. */
  hint?: string;
  status?: number;
  method?: string;
  path?: string;
  /** The service's answer, parsed if it was JSON. */
  body?: unknown;
  cause?: unknown;
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
}

export class UsageError extends ValsError {
  readonly kind = 'usage';
  readonly exit = 2;
}

export class NotFoundError extends ValsError {
  readonly kind = 'not_found';
  readonly exit = 3;
}

/** The space in the base URL does not exist, or the caller may not see it, so no val of it can be reached. */
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

/** Nothing was changed, so the command can safely be run again. */
export class UnavailableError extends ValsError {
  readonly kind = 'unavailable';
  readonly exit = 7;
}

/** A write was sent, and it is not known whether it was applied. */
export class UnknownOutcomeError extends ValsError {
  readonly kind = 'unknown_outcome';
  readonly exit = 8;
}

export class PartialError extends ValsError {
  readonly kind = 'partial';
  readonly exit = 9;
}

/** A file, the config, the store or stdout could not be read or written. */
export class LocalError extends ValsError {
  readonly kind = 'local';
  readonly exit = 10;
}

export class BadResponseError extends ValsError {
  readonly kind = 'bad_response';
  readonly exit = 11;
}

/** `vals run`: the val itself threw, ended badly or took too long. */
export class RunFailedError extends ValsError {
  readonly kind = 'run_failed';
  readonly exit = 12;

  constructor(
    message: string,
    facts: ErrorFacts = {},
    /** The rest of the val's error, with the place in its source. */
    readonly details: readonly string[] = [],
  ) {
    super(message, facts);
  }
}

/** The user, or the system, ended the command: 130 for SIGINT, 143 for SIGTERM. */
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

/** A defect of vals. */
export class BugError extends ValsError {
  readonly kind = 'bug';
  readonly exit = 1;
}

/** The error as JSON shows it. Keys without a value are left out. */
export function describeError({ kind, exit, message, facts }: ValsError): JsonObject {
  const { hint, status, method, path, body } = facts;
  return Object.fromEntries(
    Object.entries({ kind, exit, message, hint, status, method, path, body }).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  ) as JsonObject;
}
