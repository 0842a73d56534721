import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/program.ts';

test('the benchmark prints one JSON document with a figure for each line that was asked for', async () => {
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

test('the chart is drawn from the figures alone', async () => {
  const folder = temporaryFolder();
  const timing = { medianMs: 30, fastestMs: 29, runs: 3 };
  const line = (what: string, figure?: number) => ({
    group: 'start',
    node: 'v20.18.1',
    what,
    unit: '×',
    ...(figure === undefined ? { skipped: 'not installed' } : { figure, timings: { [what]: timing } }),
  });
  const results = {
    date: '2026-01-31T09:30:00.000Z',
    machine: { cpu: 'A & B <fast>', cores: 2, memoryGiB: 8, os: 'Linux x64' },
    quick: false,
    runs: 3,
    lines: [line('vals --version', 1.02), line('slow --version', 41.3), line('absent --version')],
  };
  const [from, to] = [join(folder, 'results.json'), join(folder, 'chart.svg')];
  await writeFile(from, JSON.stringify(results));
  await execa('node', ['bench/draw.mjs', from, to]);
  const chart = await readFile(to, 'utf8');
  expect(chart).toMatch(/^<svg .*<\/svg>\n$/s);
  expect(chart.match(/<rect class="(?:base|ours|peer)"/g)).toHaveLength(3);
  expect(chart).toContain('>1.02<');
  expect(chart).toContain('>41<');
  expect(chart).toContain('A &amp; B &lt;fast>');
  expect(chart).not.toContain('absent');
});

test('the committed chart shows the committed figures', async () => {
  const to = join(temporaryFolder(), 'chart.svg');
  await execa('node', ['bench/draw.mjs', 'bench/results.json', to]);
  expect(await readFile(to, 'utf8')).toBe(await readFile('docs/bench.svg', 'utf8'));
});
