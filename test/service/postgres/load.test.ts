import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { budget } from '../../support/cases.ts';
import { listen } from '../../support/listen.ts';
import { embeddedService, type ServeProcess } from '../support/embedded-service.ts';
import { onServer } from '../support/postgres.ts';
import { addPerson, type Client, clientOf, newPlace, type Val } from '../support.ts';

const serve = (database: string): Promise<ServeProcess> => embeddedService({ at: database });

function startWriters(count: number, service: Client) {
  const acknowledged: { name: string; version: number; code: string }[] = [];
  const statuses = new Map<number | string, number>();
  const unexpected: string[] = [];
  const events = new EventEmitter();
  let isOver = false;
  const write = async (name: string, code: string): Promise<number | undefined> => {
    const answer = await service.putVal(name, code).catch((error) => error as NodeJS.ErrnoException);
    const status = answer instanceof Error ? `${answer.code}` : answer.status;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    events.emit('answer');
    if (answer instanceof Error) return undefined;
    if (answer.status === 503) {
      if (answer.headers['retry-after'] === undefined) unexpected.push('503 without Retry-After');
      await sleep(100);
    }
    if (answer.status >= 300) return undefined;
    const { version } = answer.body as Val;
    acknowledged.push({ name, version, code });
    return version;
  };

  const writing = Array.from({ length: count }, async (_, who) => {
    const name = who % 2 === 0 ? `shared${who % 8}` : `own${who}`;
    let before = 0;
    for (let i = 0; !isOver; i++) {
      const version = await write(name, `// ${who} ${i}`);
      if (version === undefined) continue;
      if (version <= before) unexpected.push(`${name}: version ${version} after ${before}`);
      before = version;
    }
  });
  return {
    acknowledged,
    statuses,
    unexpected,
    async more(count: number) {
      const changed = () => statuses.get(200) ?? 0;
      const enough = changed() + count;
      while (changed() < enough) await once(events, 'answer');
    },
    async stop() {
      isOver = true;
      await Promise.all(writing);
    },
  };
}

async function check(
  at: string,
  { acknowledged, unexpected }: ReturnType<typeof startWriters>,
): Promise<void> {
  expect(unexpected).toEqual([]);
  const rows = await onServer(
    at,
    `SELECT name, last_version, versions.version, convert_from(code, 'UTF8') AS code, versions.created_at AS at
      FROM vals.vals JOIN vals.versions ON val_id = id ORDER BY name, versions.version`,
  );
  const kept = new Map(rows.map(({ name, version, code }) => [`${name} ${version}`, code]));
  const lost = acknowledged.filter(({ name, version, code }) => kept.get(`${name} ${version}`) !== code);
  expect(lost).toEqual([]);
  const disorder = rows.filter((row, index) => {
    const before = rows[index - 1];
    if (before?.name !== row.name)
      return row.version !== 1 || (before && before.version !== before.last_version);
    return row.version !== Number(before?.version) + 1 || `${row.at}` < `${before?.at}`;
  });
  expect(disorder).toEqual([]);
}

/**
 * Sends each request to one of the targets. If a target does not answer, the next one is asked. A write may wait for a
 * lock of a killed process, until the process that it waits in is killed too, so each target is asked twice.
 */
async function failoverProxy(targets: readonly string[]): Promise<string> {
  let turn = 0;
  const server = createServer(async (incoming, outgoing) => {
    const { method, url = '' } = incoming;
    const { authorization = '', 'content-type': type = '' } = incoming.headers;
    const body = await buffer(incoming);
    const first = turn++;
    for (let tried = 0; tried < 2 * targets.length; tried++) {
      const target = targets[(first + tried) % targets.length] ?? '';
      const headers = { authorization, 'content-type': type };
      const answer = await fetch(new URL(url, target), { method, headers, body }).catch(() => undefined);
      if (!answer) continue;
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
      return;
    }
    outgoing.writeHead(502).end();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

const connections =
  "SELECT pid FROM pg_stat_activity WHERE application_name = 'vals' AND datname = current_database()";

test('24 writers behind a proxy lose nothing, and do not notice kill -9 or SIGTERM of one of two processes', async () => {
  const at = await newPlace();
  const { token } = await addPerson({ at, baseUrl: '' }, 'ada');
  const targets: string[] = [];
  const proxy = await failoverProxy(targets);
  const processes = await Promise.all([serve(at), serve(at)]);
  const list = () => targets.splice(0, 2, ...processes.map(({ baseUrl }) => baseUrl));
  list();
  const writers = startWriters(24, clientOf({ baseUrl: proxy, token }));
  for (let round = 0; round < budget(2); round++) {
    await writers.more(20);
    // PostgreSQL may still be ending the connections of a killed process.
    await expect.poll(async () => (await onServer(at, connections)).length).toBeLessThanOrEqual(20);
    const one = processes[round % 2] as ServeProcess;
    const signal = round % 4 === 0 || round % 4 === 3 ? 'SIGKILL' : 'SIGTERM';
    expect(await one.end(signal)).toBe(signal === 'SIGTERM' ? 0 : 'SIGKILL');
    await writers.more(20);
    processes[round % 2] = await serve(at);
    list();
  }
  await writers.stop();
  // On a busy machine, a write may wait so long for its row that it is answered with 503.
  for (const status of writers.statuses.keys()) expect([200, 201, 503]).toContain(status);
  await check(at, writers);
});
