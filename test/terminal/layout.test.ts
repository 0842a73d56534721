import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { Column } from '../../src/terminal/column.ts';
import { gap, layOut } from '../../src/terminal/layout.ts';
import { showsUnicode } from '../../src/terminal/style.ts';
import { createTextWidth } from '../../src/terminal/text-width.ts';
import { clockTime } from '../../src/terminal/times.ts';
import { inProcess } from '../support/in-process.ts';
import { temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';

describe('a table', () => {
  const columnOf = fc.record({
    neverCut: fc.boolean(),
    droppable: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    wanted: fc.integer({ min: 1, max: 120 }),
  });
  const plan = fc.record({
    columns: fc.array(columnOf, { minLength: 1, maxLength: 8 }),
    width: fc.integer({ min: 40, max: 160 }),
  });
  const laidOut = ({ columns, width }: typeof plan extends fc.Arbitrary<infer T> ? T : never) =>
    layOut(
      columns.map(({ wanted, ...column }, index) => {
        const definition: Column = { header: `${index}`, paths: [], ...column };
        return { index, column: definition, wantedWidth: wanted };
      }),
      width,
    );

  it('is no wider than the terminal, and no column is wider than its values', () => {
    fc.assert(
      fc.property(plan, ({ columns, width }) => {
        const { shown } = laidOut({ columns, width });
        const total = shown.reduce((sum, each) => sum + each.width, gap.length * (shown.length - 1));
        expect(total).toBeLessThanOrEqual(width);
        for (const each of shown) {
          expect(each.width).toBeLessThanOrEqual(each.wantedWidth);
          expect(each.width).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('leaves out optional columns, the lowest number first, before it cuts a text below 20 characters', () => {
    fc.assert(
      fc.property(plan, ({ columns, width }) => {
        const { shown } = laidOut({ columns, width });
        const rank = ({ droppable = Infinity }: { droppable?: number | undefined }) => droppable;
        const stayed = shown.map(({ column }) => rank(column));
        const isCut = shown.some((each) => each.width < Math.min(each.wantedWidth, 20));
        if (isCut) expect(stayed.every((each) => each === Infinity)).toBe(true);
        const gone = columns.filter((_, index) => !shown.some((each) => each.index === index));
        const dropped = gone.map(rank).filter((each) => each !== Infinity);
        expect(Math.max(0, ...dropped)).toBeLessThanOrEqual(Math.min(...stayed));
      }),
    );
  });
});

it.each([
  { args: ['runs'], heads: ['STATUS', 'STARTED', 'VAL', 'TOOK', 'ERROR', 'ID'] },
  { args: ['runs', '--error'], heads: ['STARTED', 'VAL', 'TOOK', 'ERROR', 'ID'] },
  {
    args: ['val', 'runs', '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11'],
    heads: ['STATUS', 'STARTED', 'TOOK', 'ERROR', 'ID'],
  },
])('$args: a column is left out if the command line names its only value', async ({ args, heads }) => {
  const run = {
    id: 'an-id-of-a-run',
    val: { name: 'hello' },
    runStartAt: '2025-11-14T09:00:00Z',
    runEndAt: '2025-11-14T09:00:01Z',
    error: 'no',
  };
  const { env } = await scriptedService([{ body: [run, { ...run, id: 'another-one' }] }, { body: [] }]);
  const { stdout } = await inProcess(args, {
    env: { ...env, NO_COLOR: '1', VALS_CONFIG_DIR: temporaryFolder() },
    terminal: { columns: 100 },
  });
  expect(stdout.split('\n')[0]?.split(/ +/)).toEqual(heads);
});

describe('a terminal of 40 columns', () => {
  const linesOf = async (args: string[], records: object[]) => {
    const { env } = await scriptedService([], ({ path }) => {
      if (path === '/v1/me') return { body: { id: 'u1' } };
      return { body: { data: path.includes('offset=0') ? records : [], links: {} } };
    });
    const { stdout } = await inProcess(args, {
      env: { ...env, NO_COLOR: '1', TZ: 'UTC', LANG: 'C.UTF-8', VALS_CONFIG_DIR: temporaryFolder() },
      terminal: { columns: 40 },
      clock: { ...systemClock, now: () => Date.parse('2025-11-14T10:00:00Z') },
    });
    return stdout.split('\n').filter((line) => line !== '');
  };
  const failed = {
    id: 'an-id-of-a-run',
    val: { name: 'sendTheNewsletter', version: 3 },
    runStartAt: '2025-11-13T08:30:00Z',
    runEndAt: '2025-11-13T08:30:01Z',
    error: 'TypeError: no',
  };

  it('shows the start of each run, with the hour of runs before today', async () => {
    const [heads, first] = await linesOf(['runs'], [failed]);
    expect(heads?.split(/ +/)).toEqual(['STATUS', 'STARTED', 'VAL']);
    expect(first).toBe('✗ failed  Thu 08:30  sendTheNewsletter');
  });

  it('shows the error of failed runs beside the time', async () => {
    const [heads, first] = await linesOf(['runs', '--error'], [failed]);
    expect(heads?.split(/ +/)).toEqual(['STARTED', 'VAL', 'ERROR']);
    expect(first).toMatch(/^Thu 08:30 {2}sendTheNew\S*… {2}TypeErro/);
  });

  it('leaves out the privacy of a val before it cuts the name', async () => {
    const name = 'sendTheNewsletter';
    const val = { id: 'an-id', name, privacy: 'unlisted', version: 12, versionCreatedAt: failed.runStartAt };
    const [heads, first] = await linesOf(['ls'], [val]);
    expect(heads?.split(/ +/)).toEqual(['NAME', 'VERSION', 'CHANGED']);
    expect(first).toContain(name);
  });
});

describe('a text', () => {
  it('is wrapped between words, and loses no word', async () => {
    const textWidth = await createTextWidth([]);
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 60 }), (words, width) => {
        const lines = textWidth.wrap(words.join(' '), width, '  ');
        expect(lines.join(' ').split(/ +/)).toEqual(words);
        for (const line of lines) if (/\S /.test(line)) expect(line.length).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('keeps a command on one line, with all its spaces', async () => {
    const textWidth = await createTextWidth([]);
    expect(textWidth.wrap('now run `vals pull --merge` again', 20, '  ')).toEqual([
      'now run',
      '  `vals pull --merge`',
      '  again',
    ]);
    expect(textWidth.wrap('    at  here', 20)).toEqual(['    at  here']);
  });
});

describe('marks beyond ASCII', () => {
  it.each<[Record<string, string>, string, boolean]>([
    [{ LANG: 'en_US.UTF-8' }, 'linux', true],
    [{ LANG: 'C.utf8' }, 'linux', true],
    [{ LANG: 'de_DE.ISO-8859-1' }, 'linux', false],
    [{ LC_ALL: 'C', LC_CTYPE: 'en_US.UTF-8', LANG: 'en_US.UTF-8' }, 'linux', false],
    [{ LC_CTYPE: 'en_US.UTF-8', LANG: 'C' }, 'linux', true],
    [{ LC_ALL: '', LANG: 'en_US.UTF-8' }, 'linux', true],
    [{}, 'linux', false],
    [{}, 'darwin', true],
    [{}, 'win32', true],
    [{ LC_ALL: 'C' }, 'darwin', false],
    [{ LANG: 'en_US.UTF-8', TERM: 'dumb' }, 'linux', false],
  ])('are used with %j on %s: %j', (env, platform, expected) => {
    expect(showsUnicode(env, platform as NodeJS.Platform)).toBe(expected);
  });
});

it.each([
  ['2025-11-14T09:05:07Z', '09:05:07'],
  ['2025-11-13T23:59:59Z', '13 Nov 23:59'],
  ['2024-02-29T12:00:00Z', '29 Feb 2024'],
  ['yesterday', 'yesterday'],
])('%s is %s as a clock time', (moment, expected) => {
  vi.stubEnv('TZ', 'UTC');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(clockTime(moment, Date.parse('2025-11-14T10:00:00Z'))).toBe(expected);
});

it.each([
  ['60', 60],
  ['0', 100],
  ['wide', 100],
  ['', 100],
])('with COLUMNS=%s, a terminal of 100 columns counts as %i', async (COLUMNS, width) => {
  const name = 'x'.repeat(300);
  const { env } = await scriptedService([{ body: [{ name, version: 1 }] }, { body: [] }]);
  const { stdout } = await inProcess(['likes'], {
    env: { ...env, COLUMNS, LANG: 'C.UTF-8', NO_COLOR: '1', VALS_CONFIG_DIR: temporaryFolder() },
    terminal: { columns: 100 },
  });
  expect(stdout.split('\n')[1]).toHaveLength(width);
});
