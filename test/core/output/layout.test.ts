import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gap, layOut } from '../../../src/core/output/layout.ts';
import { showsUnicode } from '../../../src/core/output/style.ts';
import { createTextWidth } from '../../../src/core/output/text-width.ts';
import { runOnScreen } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { lines, list } from './support.ts';

describe('a table', () => {
  const columnOf = fc.record({
    neverCut: fc.boolean(),
    droppable: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    wanted: fc.integer({ min: 1, max: 120 }),
    readableWidth: fc.constantFrom(20, 48),
  });
  const plan = fc.record({
    columns: fc.array(columnOf, { minLength: 1, maxLength: 8 }),
    width: fc.integer({ min: 40, max: 160 }),
  });
  type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;
  const laidOut = ({ columns, width }: Plan) =>
    layOut(
      columns.map((column, index) => ({ index, width: column.wanted, ...column })),
      width,
    );

  it('is no wider than the terminal, cuts only what may be cut, and is no table if that is impossible', () => {
    fc.assert(
      fc.property(plan, ({ columns, width }) => {
        const shown = laidOut({ columns, width });
        const least = ({ neverCut, wanted }: (typeof columns)[number]) =>
          neverCut ? wanted : Math.min(wanted, 4);
        const needed = columns.filter(({ droppable }) => droppable === undefined).map(least);
        const neededWidth = needed.reduce((sum, each) => sum + each, gap.length * (needed.length - 1));
        if (needed.length > 0) expect(shown === undefined).toBe(neededWidth > width);
        const total = shown?.reduce((sum, each) => sum + each.width, gap.length * (shown.length - 1)) ?? 0;
        expect(total).toBeLessThanOrEqual(width);
        for (const each of shown ?? []) {
          expect(each.width).toBeLessThanOrEqual(each.wanted);
          if (each.neverCut) expect(each.width).toBe(each.wanted);
        }
      }),
    );
  });
});

describe('a text', () => {
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
    [{ LANG: 'de_DE.ISO-8859-1' }, 'linux', false],
    [{ LC_ALL: 'C', LC_CTYPE: 'en_US.UTF-8', LANG: 'en_US.UTF-8' }, 'linux', false],
    [{}, 'darwin', true],
    [{ LANG: 'en_US.UTF-8', TERM: 'dumb' }, 'linux', false],
  ])('are used with %j on %s: %j', (env, platform, expected) => {
    expect(showsUnicode(env, platform as NodeJS.Platform)).toBe(expected);
  });
});

it('with COLUMNS=60, a terminal of 100 columns counts as 60', async () => {
  const service = await scriptedService([list([{ name: 'x'.repeat(300), version: 1 }])]);
  const env = { ...service.env, COLUMNS: '60' };
  const { screen } = await runOnScreen(['likes', '--no-color'], { env, columns: 100 });
  expect(lines(screen)[1]).toHaveLength(60);
});
