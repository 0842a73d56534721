import { env } from 'node:process';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import pgpass from 'pgpass';
import { schemaName } from './postgres-failures.ts';

const mostConnections = 10;
const connectMs = 10_000;
export const statementMs = 15_000;
const answerMs = statementMs + 5_000;

/** How to connect to the database with this address. */
export function optionsFor(address: string): pg.PoolConfig {
  const url = new URL(address);
  const given = url.searchParams.get('options');
  url.searchParams.delete('options');
  // pg 8 treats these modes as `verify-full`, but pg 9 will check certificates less strictly in these modes.
  const isChecked = ['prefer', 'require', 'verify-ca'].includes(`${url.searchParams.get('sslmode')}`);
  if (isChecked && !url.searchParams.has('uselibpqcompat')) url.searchParams.set('sslmode', 'verify-full');
  const config = parseIntoClientConfig(url.href);
  return {
    application_name: 'vals',
    options: `${given ?? ''} -c search_path=${schemaName} -c client_min_messages=warning`.trim(),
    max: mostConnections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: answerMs,
    idle_in_transaction_session_timeout: answerMs,
    keepAlive: true,
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === pg.types.builtins.INT8
          ? Number
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
    ...config,
    password: config.password || env.PGPASSWORD || readPasswordFile,
  };
}

const readPasswordFile = (connection?: unknown): Promise<string> =>
  new Promise((resolve) => pgpass(connection, (password = '') => resolve(password)));

export function addressWithoutSecrets(address: string): string {
  const url = new URL(address);
  url.password = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
