import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { run, runAtTerminal } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `val${index}` }));
const likes = async (count: number) =>
  (await scriptedService([], () => ({ body: { data: rows(count), links: {} } }))).env;

const marking = "sed 's/^/| /'";

async function screenOf(args: string[], env: Record<string, string | undefined>) {
  // Without --quiet, a slow start would show a spinner in `screen`.
  const { exit, screen } = await runAtTerminal([...args, '--quiet'], { env: { NO_COLOR: '1', ...env } });
  const lines = stripVTControlCharacters(screen).replaceAll('\r', '').trimEnd().split('\n');
  return { exit, lines, isPaged: lines.every((line) => line.startsWith('| ')) };
}

describe('a list longer than the screen', () => {
  it.each([
    { what: 'VALS_PAGER', env: { VALS_PAGER: marking, PAGER: 'false' }, args: [], isPaged: true },
    { what: 'PAGER', env: { VALS_PAGER: undefined, PAGER: marking }, args: ['--json'], isPaged: true },
    { what: '--no-pager', env: { VALS_PAGER: marking }, args: ['--no-pager'], isPaged: false },
  ])('goes through the pager with $what: $isPaged', async ({ env, args, isPaged }) => {
    const service = await likes(40);
    const shown = await screenOf(['likes', '--all', ...args], { ...service, ...env });
    expect(shown).toMatchObject({ exit: 0, isPaged });
    expect(shown.lines.join('\n')).toContain('val39');
    expect(shown.lines.length).toBeGreaterThanOrEqual(41);
  });

  it('is shown directly if the pager is missing, and the user may close the pager early', async () => {
    const service = await likes(40);
    const missing = await screenOf(['likes', '--all'], { ...service, VALS_PAGER: 'no-such-pager 2>&-' });
    expect(missing.exit).toBe(0);
    expect(missing.lines.filter((line) => line.startsWith('val'))).toHaveLength(40);
    const left = await screenOf(['likes', '--all'], { ...service, VALS_PAGER: 'head -2' });
    expect(left).toMatchObject({ exit: 0, lines: ['NAME', 'val0'] });
  });

  it('goes through no pager if it is short, or in a pipe', async () => {
    const env = { ...(await likes(5)), VALS_PAGER: marking };
    expect(await screenOf(['likes'], env)).toMatchObject({ exit: 0, isPaged: false });
    const long = { ...(await likes(40)), VALS_PAGER: marking };
    expect((await run(['likes', '--all', '--color'], { env: long })).stdout).not.toContain('| ');
  });
});

it('Ctrl-C is a key of the pager, each time', async () => {
  // The shell polls `n`, because a shell that waits for a line of input can miss a signal.
  const waiting =
    "n=0; trap 'n=$((n+1)); echo caught $n' INT; cat > /dev/null; echo reading; until [ $n = 2 ]; do sleep 0.05; done; echo left";
  const { exit, screen } = await runAtTerminal(['likes', '--all'], {
    env: { ...(await likes(40)), VALS_PAGER: waiting },
    answers: [
      { after: 'reading', keys: '\u0003' },
      { after: 'caught 1', keys: '\u0003' },
    ],
  });
  expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringContaining('left') });
});
