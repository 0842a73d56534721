// The errors that end a command. Each class has an exit code.
import type { JsonObject } from './lib/json.ts';

export interface ErrorFacts {
  /** Tells the user the next step, such as "Run the command again." */
  hint?: string;
  status?: number;
  method?: string;
  path?: string;
  /** The body of the service's answer. A JSON body is parsed. */
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

/**
 * The space in the base URL does not exist, or the caller may not see the space. So the command can reach no val of the
 * space.
 */
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

/** The service could not complete the request. Nothing was changed, so the user can safely run the command again. */
export class UnavailableError extends ValsError {
  readonly kind = 'unavailable';
  readonly exit = 7;
}

/** A request that changes something was sent, and it is not known whether the service made the change. */
export class UnknownOutcomeError extends ValsError {
  readonly kind = 'unknown_outcome';
  readonly exit = 8;
}

export class PartialError extends ValsError {
  readonly kind = 'partial';
  readonly exit = 9;
}

/** A file, the config file, the store or stdout could not be read or written. */
export class LocalError extends ValsError {
  readonly kind = 'local';
  readonly exit = 10;
}

export class BadResponseError extends ValsError {
  readonly kind = 'bad_response';
  readonly exit = 11;
}

/** In `vals run`, the code of the val threw an error, ended with a failure or took too long. */
export class RunFailedError extends ValsError {
  readonly kind = 'run_failed';
  readonly exit = 12;

  constructor(
    message: string,
    facts: ErrorFacts = {},
    /** The other lines of the val's error, with the place in the val's source code. */
    readonly details: readonly string[] = [],
  ) {
    super(message, facts);
  }
}

/** The user or the system ended the command. The exit code is 130 for SIGINT and 143 for SIGTERM. */
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

/** The program `vals` itself has a defect. */
export class BugError extends ValsError {
  readonly kind = 'bug';
  readonly exit = 1;
}

/** Returns the error as the JSON output shows it. Keys without a value are omitted. */
export function describeError({ kind, exit, message, facts }: ValsError): JsonObject {
  const { hint, status, method, path, body } = facts;
  return Object.fromEntries(
    Object.entries({ kind, exit, message, hint, status, method, path, body }).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  ) as JsonObject;
}
