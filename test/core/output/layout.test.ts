import { expect, it } from 'vitest';
import { showsUnicode } from '../../../src/core/output/style.ts';
import { createTextWidth } from '../../../src/core/output/text-width.ts';
import { runOnScreen } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { lines, list } from './support.ts';

it('a text keeps a command on one line, with all its spaces', async () => {
  const textWidth = await createTextWidth([]);
  expect(textWidth.wrap('now run `vals pull --merge` again', 20, '  ')).toEqual([
    'now run',
    '  `vals pull --merge`',
    '  again',
  ]);
  expect(textWidth.wrap('    at  here', 20)).toEqual(['    at  here']);
});

it.each<[Record<string, string>, string, boolean]>([
  [{ LANG: 'en_US.UTF-8' }, 'linux', true],
  [{ LANG: 'de_DE.ISO-8859-1' }, 'linux', false],
  [{ LC_ALL: 'C', LC_CTYPE: 'en_US.UTF-8', LANG: 'en_US.UTF-8' }, 'linux', false],
  [{}, 'darwin', true],
  [{ LANG: 'en_US.UTF-8', TERM: 'dumb' }, 'linux', false],
])('marks beyond ASCII are used with %j on %s: %j', (env, platform, expected) => {
  expect(showsUnicode(env, platform as NodeJS.Platform)).toBe(expected);
});

it('with COLUMNS=60, a terminal of 100 columns counts as 60', async () => {
  const service = await scriptedService([list([{ name: 'x'.repeat(300), version: 1 }])]);
  const env = { ...service.env, COLUMNS: '60' };
  const { screen } = await runOnScreen(['likes', '--no-color'], { env, columns: 100 });
  expect(lines(screen)[1]).toHaveLength(60);
});
