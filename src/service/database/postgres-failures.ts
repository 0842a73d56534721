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

export function explainFailure(name: string, error: unknown): ValsError {
  if (error instanceof ValsError) return error;
  const cause = error instanceof DatabaseFailure ? error.cause : error;
  const { reason, hint } = reasonFor(cause as Error);
  return new LocalError(`The database ${name} could not be used: ${reason}.`, { hint, cause: error });
}

function reasonFor(error: Error): { reason: string; hint: string } {
  const code = `${errnoOf(error)}`;
  if (/^28/.test(code) || /password|SASL|SCRAM/.test(error.message)) {
    return {
      reason: 'it rejected the user or the password',
      hint: 'Check the user, and the password in PGPASSWORD, ~/.pgpass or the address.',
    };
  }
  if (code === '3D000') {
    return {
      reason: 'the database does not exist',
      hint: 'Create the database with `createdb`, or use another database.',
    };
  }
  if (code === '42501') {
    return {
      reason: `the database user lacks a permission (${error.message})`,
      hint: `Allow the user to create the schema ${schemaName}, or create the schema with the user as its owner.`,
    };
  }
  if (code === '53100')
    return {
      reason: 'its disk is full',
      hint: 'Free some space on the disk of the database.',
    };
  return {
    reason: error.message || messagesOf(error) || code,
    hint: 'Check that the database server is running, and that the address is right.',
  };
}

const messagesOf = (error: Error): string =>
  error instanceof AggregateError ? [...new Set(error.errors.map(({ message }) => message))].join(', ') : '';
