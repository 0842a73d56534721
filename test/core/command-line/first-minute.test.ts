import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { groups } from '../../../src/core/command-line/command-tree.ts';
import { commandTree } from '../../../src/main.ts';
import { has } from '../../support/features.ts';
import { run, runOnScreen } from '../../support/program.ts';

describe('vals alone', () => {
  it('shows every command in its group, and how to begin, on one screen', async () => {
    const { exit, screen } = await runOnScreen([]);
    expect(exit).toBe(0);
    const lines = stripVTControlCharacters(screen).trimEnd().split('\r\n');
    expect(lines.length).toBeLessThanOrEqual(42);
    const commands = lines.flatMap((line) => /^ {2}(\w+)/.exec(line)?.[1] ?? []);
    expect(commands.slice(0, 9).join(' ')).toBe('push val version ls runs me likes comments refs');
    if (has('service')) expect(commands.slice(-5).sort().join(' ')).toBe('backup serve space token user');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines.filter((line) => /^\S.*:$/.test(line))).toEqual(Object.values(groups));
    expect(lines.at(-1)).toMatch(/^echo '.*' \| vals push - --name hello --local$/);
    for (const { path } of commandTree.commands) {
      const [topic, name = ''] = path.split(' ');
      expect(lines).toContainEqual(expect.stringMatching(`^  ${topic} .*\\b${name}`));
    }
  });

  it.each<[env: Record<string, string>, isBold: boolean]>([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ])('fits a narrow terminal, and has bold titles with %j: %j', async (env, isBold) => {
    const { screen } = await runOnScreen([], { env, columns: 40 });
    const lines = stripVTControlCharacters(screen).split('\r\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
    expect(screen).toContain('completion');
    expect(/\u001b\[1m(?:Vals|Options):\u001b\[22m/.test(screen)).toBe(isBold);
    expect(screen.includes('\u001b')).toBe(isBold);
  });

  it('has no bold titles in a pipe, unless a flag wants them', async () => {
    expect((await run([], { env: { FORCE_COLOR: '1' } })).stdout).not.toContain('\u001b');
    expect((await run(['--help', '--color'])).stdout).toContain('\u001b[1mVals:');
  });
});
