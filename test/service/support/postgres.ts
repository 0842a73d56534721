import { spawn } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { binariesOfPostgres } from './postgres-binaries.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: string | undefined;
  }
}

/** Vitest loads this file again for each project, so `globalThis` holds the one server. */
const shared = globalThis as typeof globalThis & {
  postgresOfTests?: { server: Promise<PostgresServer>; users: number };
};

export async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  shared.postgresOfTests ??= { server: startWithTemplate(), users: 0 };
  const { postgresOfTests } = shared;
  postgresOfTests.users += 1;
  const { address, end } = await postgresOfTests.server;
  provide('postgres', address);
  return async () => {
    postgresOfTests.users -= 1;
    if (postgresOfTests.users > 0) return;
    delete shared.postgresOfTests;
    await end();
  };
}

/** The name of a database that has the tables of a store, and no more. A copy takes half the time of a new store. */
export const emptyStore = 'empty_store';

async function startWithTemplate(): Promise<PostgresServer> {
  const { openDatabase } = await import('../../../src/service/database/open-database.ts');
  const server = await startPostgres();
  await onServer(server.address, `CREATE DATABASE ${emptyStore}`);
  const address = new URL(server.address);
  address.pathname = `/${emptyStore}`;
  await (await openDatabase({ database: address.href })).close();
  return server;
}

interface PostgresServer {
  address: string;
  end(): Promise<void>;
}

async function startPostgres(): Promise<PostgresServer> {
  const binaries = binariesOfPostgres() ?? '';
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'vals-postgres-'));
  const passwordFile = join(folder, 'password');
  const password = randomBytes(16).toString('hex');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const data = join(folder, 'data');
  const own = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' }, ...user };
  await execa(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'vals', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--no-sync'],
    { ...own, extendEnv: false },
  );
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    'fsync=off',
  ];
  const options = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(binaries, 'postgres'), options, { ...own, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface(server.stderr).on('line', (line) => {
      said.push(line);
      if (line.includes('ready to accept connections')) resolve();
    });
    void ended.then(() => reject(new Error(`PostgreSQL ended:\n${said.join('\n')}`)));
  });
  return {
    address: `postgres://vals:${password}@127.0.0.1:${port}/postgres`,
    async end() {
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root, so root starts PostgreSQL as another user. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8');
  const [, uid, gid] =
    /^postgres:.*?:(\d+):(\d+)/m.exec(users) ?? /^nobody:.*?:(\d+):(\d+)/m.exec(users) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const isFree = await new Promise<boolean>((decided) => {
      server.once('error', () => decided(false));
      server.listen(port, '127.0.0.1', () => server.close(() => decided(true)));
    });
    if (isFree) return port;
  }
}

export async function newDatabase(
  server: string,
  settings = '',
): Promise<{ address: string; drop(): Promise<void> }> {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, `CREATE DATABASE ${name} ${settings}`);
  const address = new URL(server);
  address.pathname = `/${name}`;
  const drop = () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
  return {
    address: address.href,
    // DROP DATABASE may fail while another database is dropped, so a failed `drop` is repeated once.
    drop: async () => void (await drop().catch(drop)),
  };
}

export async function onServer(address: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

export async function takeDatabaseAway(address: string): Promise<() => Promise<unknown>> {
  const server = new URL(address);
  const name = server.pathname.slice(1);
  server.pathname = '/postgres';
  const onAll = (sql: string) => onServer(server.href, sql);
  await onAll(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await onAll(`ALTER DATABASE ${name} RENAME TO ${name}_away`);
  return () => onAll(`ALTER DATABASE ${name}_away RENAME TO ${name}`);
}
