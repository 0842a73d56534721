import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ServiceEvent } from '../../../src/service/start-service.ts';
import { cleanUp } from '../../../src/service/store/clean-up.ts';
import { placeOf } from '../support/embedded-service.ts';
import { takeDatabaseAway } from '../support/postgres.ts';
import { seedRuns } from '../support/seeds.ts';
import { clientOf, newPlace, postgres, storeOf, temporaryService } from '../support.ts';

const day = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString();

const lasting = (from: number, to: number) => ({ runStartAt: daysAgo(from), runEndAt: daysAgo(to) });

test('two services on one store delete the runs that started long ago', async () => {
  const at = await newPlace();
  const runs = [
    ...Array.from({ length: 250 }, (_, i) => ({ id: `old${i}`, ...lasting(31 + i, 0) })),
    ...[29, 1, -1].map((days) => ({ id: `kept${days}`, ...lasting(days, days) })),
  ];
  const first = await temporaryService({ runs, at });
  const idsOf = (path: string) => first.idsFrom(path);
  expect(await idsOf('/v1/me/runs?limit=100&offset=200')).toHaveLength(53);
  const counts: number[] = [];
  const onEvent = (event: ServiceEvent) => {
    if (event.kind === 'runs deleted') counts.push(event.count);
  };
  const keeping = await Promise.all(
    [1, 2].map(() => temporaryService({ at: at, keepRunsMs: 30 * day, onEvent })),
  );
  const found = () => idsOf('/v1/me/runs?limit=100');
  await expect.poll(found, { interval: 100 }).toEqual(['kept-1', 'kept1', 'kept29']);
  await expect.poll(() => counts.reduce((sum, count) => sum + count, 0)).toBe(250);
  await Promise.all(keeping.map(({ close }) => close()));
});

test('old runs are deleted at once, and those that are old by then every hour', async () => {
  const service = await temporaryService({ runs: [{}, {}] });
  const { db } = await storeOf(service);
  const ending = new AbortController();
  const start = Date.now();
  let now = start;
  const deleted: [number, number][] = [];
  const clock = {
    now: () => now,
    after(ms: number, callback: () => void) {
      now += ms;
      const next = async () => {
        if (now - start === 60_000) await seedRuns(placeOf(service.at), [{ id: 'later' }], service.token);
        if (now - start > 7_200_000) ending.abort();
        else callback();
      };
      setImmediate(() => void next());
      return () => {};
    },
  };
  const onRunsDeleted = (count: number) => deleted.push([now - start, count]);
  await cleanUp(db, { keepRunsMs: 0, clock, signal: ending.signal, onRunsDeleted });
  expect(deleted).toEqual([
    [0, 2],
    [3_600_000, 1],
  ]);
});

test('metrics count requests by route, and are served while the database is away', async () => {
  const service = await temporaryService({ metrics: { port: 0, host: '127.0.0.1' } });
  const scraper = clientOf({ baseUrl: `http://127.0.0.1:${service.metricsPort}` });
  const metrics = async () => {
    const { status, text, headers } = await scraper.ask('GET', '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    return text.split('\n');
  };
  const { id } = await service.createVal({ name: 'one', code: 'c' });
  for (const path of [
    `/v1/vals/${id}`,
    `/v1/vals/${id}`,
    '/v1/vals/absent',
    '/nowhere/secret',
    '/@acme/v1/me',
  ]) {
    await service.ask('GET', path);
  }
  const lines = await metrics();
  const requests = (labels: string) => `vals_http_requests_total{${labels}}`;
  for (const line of [
    `${requests('method="POST",route="/v1/vals",status="201"')} 1`,
    `${requests('method="GET",route="/v1/vals/{id}",status="200"')} 2`,
    `${requests('method="GET",route="none",status="404"')} 1`,
    `${requests('method="GET",route="/@{space}/v1/me",status="404"')} 1`,
    'vals_http_request_duration_seconds_count{method="GET",route="/v1/vals/{id}"} 3',
    'vals_http_requests_in_progress 0',
    'vals_database_waiting 0',
    expect.stringMatching(/^vals_database_connections_in_use [01]$/),
  ]) {
    expect(lines).toContainEqual(line);
  }
  expect(lines.join('\n')).not.toContain('secret');

  const giveBack = await takeAway(service.at);
  expect(await service.statusOf('GET', '/healthz')).toBe(503);
  expect(await metrics()).toContain('vals_database_waiting 0');
  await giveBack();
});

async function takeAway(at: string): Promise<() => Promise<unknown>> {
  if (postgres !== undefined) return takeDatabaseAway(at);
  rmSync(at);
  return async () => {};
}
