import { execa } from 'execa';
import { expect, test } from 'vitest';
import { chartOf } from '../bench/chart.mjs';
import { markdownReportOf } from '../bench/report.mjs';

test('the benchmark prints one JSON document with a figure for each requested line', async () => {
  const { stdout } = await execa('node', ['bench/main.mjs', '--quick', '--only', 'version', '--json']);
  const { date, machine, quick, lines } = JSON.parse(stdout);
  expect(new Date(date).getTime()).not.toBeNaN();
  expect(machine).toEqual({
    cpu: expect.any(String),
    cores: expect.any(Number),
    memoryGiB: expect.any(Number),
    os: expect.any(String),
  });
  expect(quick).toBe(true);
  expect(lines.map(({ what }: { what: string }) => what)).toContain('vals --version');
  expect(lines[0]).toMatchObject({
    group: 'start',
    node: process.version,
    what: 'vals --version',
    unit: '×',
    figure: expect.any(Number),
    timings: { 'node -e 0': { medianMs: expect.any(Number), runs: 3 } },
  });
});

const timing = { medianMs: 30, fastestMs: 29, runs: 3 };
const line = (what: string, figure: number, more: object = {}) => ({
  group: 'start',
  node: 'v20.18.1',
  what,
  unit: '×' as const,
  figure,
  timings: { [what]: timing },
  ...more,
});
const results = {
  date: '2026-01-31T09:30:00.000Z',
  machine: { cpu: 'A & B <fast>', cores: 2, memoryGiB: 8, os: 'Linux x64' },
  quick: false,
  runs: 3,
  lines: [
    line('vals --version', 1.02, { goal: { atMost: 1.1 }, met: true }),
    line('vals me', 4.2, { goal: { atMost: 3 }, met: false }),
    line('slow | --version', 41.3),
  ],
};

test('the chart has a bar for each start', () => {
  const chart = chartOf(results);
  expect(chart).toMatch(/^<svg .*<\/svg>\n$/s);
  expect(chart.match(/<rect class="(?:ours|other)"/g)).toHaveLength(4);
  expect(chart).toContain('>1.02<');
  expect(chart).toContain('>41<');
  expect(chart).toContain('A &amp; B &lt;fast>');
});

test('the table on the page lists missed goals first', () => {
  expect(markdownReportOf(results)).toBe(
    [
      'A & B <fast>, 2 cores, 8 GiB, Linux x64; 2026-01-31, 3 runs of each start.',
      '',
      '| what | Node | measured | goal | met | medians |',
      '| --- | --- | --- | --- | --- | --- |',
      '| vals me | v20.18.1 | 4.20 × | <= 3.00 × | NO | 30.0 ms |',
      '| vals --version | v20.18.1 | 1.02 × | <= 1.10 × | yes | 30.0 ms |',
      '| slow \\| --version | v20.18.1 | 41.30 × |  |  | 30.0 ms |',
    ].join('\n'),
  );
});
