import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { type Database, type FilledService, postgresServer, startFilledService } from './filled-service.mts';
import { timeOf } from './processes.mts';
import { timeOfRequest } from './shared-service.mts';
import type { Bench, Measurement, Result } from './types.mts';

export const waits = [
  longestWaits('SQLite'),
  ...(postgresServer === undefined ? [] : [longestWaits('PostgreSQL')]),
];

const everyMs = 20;
const mostMs = 1_000;

/** How long one client waits at most that asks for a small record every 20 ms, while others do something large. */
function longestWaits(database: Database): Measurement {
  return {
    name: `waits on ${database}`,
    once: true,
    async measure(bench) {
      const metricsPort = await freePort();
      const service = await startFilledService(bench, database, 1_000_000, {
        codeBytes: 3_000,
        moreRuns: bench.count(200_000),
        serveFlags: ['--metrics-port', `${metricsPort}`],
      });
      const results: Result[] = [];
      // The first request of a token also writes when it was used.
      await service.page('/v1/me');
      await sleep(everyMs);
      try {
        for (const [name, others] of Object.entries(loads(bench, service, metricsPort))) {
          const figure = await longestWait(service, others);
          const what = `${database}: longest wait for /v1/me while others ${name}`;
          results.push({
            what,
            to: '',
            unit: 'ms',
            atMost: mostMs,
            figure,
            isMet: figure <= mostMs,
            medians: [figure],
          });
        }
      } finally {
        await service.stop();
      }
      return results;
    },
  };
}

async function longestWait({ page }: FilledService, others: () => Promise<unknown>): Promise<number> {
  const asked: Promise<number>[] = [];
  let isDone = false;
  const work = others().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    asked.push(timeOfRequest(() => page('/v1/me')));
    await sleep(everyMs);
  }
  await work;
  return Math.max(...(await Promise.all(asked)));
}

function loads(
  bench: Bench,
  service: FilledService,
  metricsPort: number,
): Record<string, () => Promise<unknown>> {
  const { page, put, ada, bob, storeFlags } = service;
  const times = (count: number, work: (index: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, (_, index) => work(index)));
  const write = (until: () => boolean) =>
    times(8, async (writer) => {
      while (!until()) await put(writer % 2 ? ada : bob, `name${writer}`);
    });
  const [flag, file = ''] = storeFlags;
  return {
    search: () => times(5, () => page('/v1/search/vals?query=nowhere')),
    'read deep pages': () =>
      times(12, (index) =>
        page(`/v1/${index % 2 ? 'me/runs' : `users/${ada.id}/vals`}?limit=100&offset=10000&error=false`),
      ),
    'read metrics': () => times(10, () => fetch(`http://127.0.0.1:${metricsPort}/metrics`)),
    async write() {
      const end = performance.now() + 3_000;
      await write(() => performance.now() > end);
    },
    async 'delete a val with 200,000 runs'() {
      await service.delete('/v1/vals/val-0');
      await times(5, () => page('/v1/me/runs?limit=100'));
      await sleep(3_000);
    },
    ...(flag === '--data' && {
      async 'back up and write, and the log is written back'() {
        let isDone = false;
        const backup = timeOf(bench.vals(['backup', join(bench.newFolder(), 'copy.db'), ...storeFlags]));
        await Promise.all([backup.finally(() => (isDone = true)), write(() => isDone)]);
        await times(20, () => put(ada, 'after'));
      },
      async 'hold the lock of the file and write'() {
        const other = new Libsql(file);
        other.exec('BEGIN IMMEDIATE');
        const writes = times(3, (writer) => put(ada, `name${writer}`));
        await sleep(3_000);
        other.exec('COMMIT');
        other.close();
        await writes;
      },
    }),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
