import { describe, expect, it } from 'vitest';
import { run } from '../../support/program.ts';
import { pageOf, scriptedService } from '../../support/scripted-service.ts';

const at = (seconds: number) => new Date(1_769_850_000_000 + seconds * 1_000).toISOString();
const runOf = (version: number, seconds: number, ms: number, error: unknown = null) => ({
  id: `run-${version}-${seconds}-${ms}`,
  val: { id: 'id-of-hello', name: 'hello', version },
  runStartAt: at(seconds),
  runEndAt: new Date(Date.parse(at(seconds)) + ms).toISOString(),
  error,
});

async function summaryOf(all: readonly object[], args: readonly string[] = ['runs']) {
  const service = await scriptedService([], (seen) => pageOf(all, seen, { hasLinks: true }));
  const result = await run([...args, '--summary', '--json'], { env: service.env });
  expect({ exit: result.exit, stderr: result.stderr }).toEqual({ exit: 0, stderr: '' });
  return { rows: JSON.parse(result.stdout), stdout: result.stdout, service };
}

describe('vals runs --summary', () => {
  it('gives a row per val and version, most failures first, with exactly these keys, or plain figures in a pipe', async () => {
    const { stdout, service } = await summaryOf([
      runOf(2, 0, 100),
      runOf(1, 1, 30, 'it broke'),
      runOf(1, 0, 10),
      runOf(1, 0, 20),
    ]);
    const rows = [
      { val: 'hello', version: 1, runs: 3, failed: 1, errorRate: 1 / 3, p50Ms: 20, p95Ms: 30 },
      { val: 'hello', version: 2, runs: 1, failed: 0, errorRate: 0, p50Ms: 100, p95Ms: 100 },
    ];
    const buckets = [
      [
        { from: at(0), runs: 2, failed: 0 },
        { from: at(1), runs: 1, failed: 1 },
      ],
      [
        { from: at(0), runs: 1, failed: 0 },
        { from: at(1), runs: 0, failed: 0 },
      ],
    ];
    const expected = rows.map((row, index) => ({ ...row, buckets: buckets[index] }));
    expect(stdout).toBe(`${JSON.stringify(expected)}\n`);
    expect(await run(['runs', '--summary'], { env: service.env })).toMatchObject({
      stdout: `hello\t1\t3\t1\t${1 / 3}\t20\t30\nhello\t2\t1\t0\t0\t100\t100\n`,
    });
  });

  it('reads every shape of a run', async () => {
    const one = { id: 'a', name: 'one', version: 0 };
    const started = { startedAt: at(0), endedAt: at(2) };
    const { rows } = await summaryOf([
      { id: 1, val: one, runStartAt: at(0), runEndAt: at(1), error: { message: 'x' } },
      { id: 2, val: one, createdAt: at(0), error: '' },
      { id: 3, valId: 'a', valName: 'one', version: 0, ...started, error: 'x' },
      { id: 4, valName: 'named', version: 12_345, ...started, error: { code: 1 } },
      { id: 5, valId: 'only-id', ...started },
      { id: 6, runStartAt: 'not a time', runEndAt: 7, error: false },
      { id: 7, runStartAt: at(5), runEndAt: at(0), val: null },
    ]);
    expect(rows).toMatchObject([
      { val: 'one', version: 0, runs: 3, failed: 2, p50Ms: 1_000, p95Ms: 2_000 },
      { val: 'named', version: 12_345, runs: 1, failed: 1, p50Ms: 2_000, p95Ms: 2_000 },
      { val: null, version: null, runs: 2, failed: 0, p50Ms: null, p95Ms: null },
      { val: 'only-id', version: null, runs: 1, failed: 0, p50Ms: 2_000, p95Ms: 2_000 },
    ]);
  });

  it('reads the whole range, with its filters', async () => {
    const all = Array.from({ length: 234 }, (_, index) =>
      runOf(1, index, 1 + (index % 1_000), index % 10 ? null : 'x'),
    );
    const args = ['runs', '--error', '--since', '2026-01-01T00:00:00Z', '--until', '2026-02-01T00:00:00Z'];
    const { rows, service } = await summaryOf(all, args);
    expect(rows).toMatchObject([{ runs: 234, failed: 24, p50Ms: 117, p95Ms: 223 }]);
    const sumOf = (key: 'runs' | 'failed') =>
      rows[0].buckets.reduce((sum: number, bucket: Record<typeof key, number>) => sum + bucket[key], 0);
    expect([sumOf('runs'), sumOf('failed'), rows[0].buckets.length <= 24]).toEqual([234, 24, true]);
    const query = { error: 'true', since: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' };
    for (const { path } of service.requests) {
      expect(Object.fromEntries(new URL(path, 'http://x').searchParams)).toMatchObject(query);
    }
  });
});
