import { LocalError, ValsError } from '../../core/errors.ts';
import { errnoOf } from '../../core/lib/system.ts';
import { DatabaseFailure } from './database.ts';

export const schemaName = 'vals';

const kindsBySqlState: [RegExp, DatabaseFailure['kind']][] = [
  [/^23505$/, 'taken'],
  [/^23503$/, 'orphaned'],
  [/^(57014|55P03|40001|40P01)$/, 'busy'],
  [/^53100$/, 'full'],
  [/^(08|28|57P|53|25006|25P03|3D000)/, 'unreachable'],
  [/^[0-9A-Z]{5}$/, 'failed'],
];

export function postgresFailure(error: unknown, maybeCommitted = false): DatabaseFailure {
  const code = `${errnoOf(error)}`;
  const kind = kindsBySqlState.find(([pattern]) => pattern.test(code))?.[1] ?? 'unreachable';
  return new DatabaseFailure(kind, error, maybeCommitted);
}

const hintsBySqlState: [RegExp, string][] = [
  [/^28/, 'Check the user, and the password in PGPASSWORD, ~/.pgpass or the address.'],
  [/^3D000$/, 'Create the database with `createdb`, or use another database.'],
  [/^42501$/, `Allow the user to create the schema ${schemaName}, or create it with the user as its owner.`],
  [/^53100$/, 'Free some space on the disk of the database.'],
  [/./, 'Check that the database server is running, and that the address and the password are right.'],
];

export function explainFailure(name: string, error: unknown): ValsError {
  if (error instanceof ValsError) return error;
  const cause = (error instanceof DatabaseFailure ? error.cause : error) as Error;
  const code = `${errnoOf(cause)}`;
  const reason = cause.message || messagesOf(cause) || code;
  const hint = hintsBySqlState.find(([pattern]) => pattern.test(code))?.[1];
  return new LocalError(`The database ${name} could not be used: ${reason}.`, { hint, cause: error });
}

const messagesOf = (error: Error): string =>
  error instanceof AggregateError ? [...new Set(error.errors.map(({ message }) => message))].join(', ') : '';
