import { expect, it, onTestFinished, vi } from 'vitest';
import { parseMoment } from '../../../src/core/command-line/value-types.ts';
import { ago, wholeMoment } from '../../../src/core/output/times.ts';
import { runOnScreen } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';

function inTokyo(): void {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  onTestFinished(() => void vi.unstubAllEnvs());
}

it.each([
  ['2026-11-18', '2026-11-17T15:00:00.000Z'],
  ['2026-11-18T04:59', '2026-11-17T19:59:00.000Z'],
  ['2026-11-18T04:59:59Z', '2026-11-18T04:59:59.000Z'],
  ['2026-11-18T04:59:59+01:00', '2026-11-18T03:59:59.000Z'],
])('%s is read as local time unless it has a zone: %s', (typed, moment) => {
  inTokyo();
  expect(parseMoment(typed)).toBe(moment);
});

it('a list, a record and fields without a column show the same local day', async () => {
  inTokyo();
  const moment = '2025-01-01T20:00:00Z';
  const now = Date.parse('2026-11-18T00:00:00Z');
  expect([ago(moment, now), wholeMoment(moment, now)]).toEqual(['2025-01-02', '2025-01-02 05:00:00']);
  const val = {
    id: '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11',
    name: 'hello',
    version: 1,
    versionCreatedAt: moment,
    checkedAt: moment,
  };
  const { env } = await scriptedService([{ body: val }]);
  const { screen } = await runOnScreen(['val', 'get', val.id, '--no-color'], { env, columns: 100 });
  expect(screen).toMatch(/updated +2025-01-02 05:00:00/);
  expect(screen).toMatch(/checkedAt +2025-01-02 05:00:00/);
  expect(screen).not.toContain('20:00');
});
