import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LoadedCommand } from '../../../src/core/command-line/command.ts';
import { loadCommands } from '../../../src/core/command-line/command-tree.ts';
import { argumentsOf, optionsOf } from '../../../src/core/command-line/options.ts';
import { withoutColor } from '../../../src/core/output/style.ts';
import { commandTree } from '../../../src/main.ts';
import { run } from '../../support/program.ts';

const commands = await loadCommands(commandTree);

describe.each(commands)('vals $path', ({ path, aliases = [], examples, summary }) => {
  it.each([path, ...aliases])('has a help screen as %s', async (words) => {
    const { exit, stdout, stderr } = await run([...words.split(' '), '--help']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: vals .*\\b${words.split(' ').at(-1)}\\b`));
    expect(stdout).toContain('`vals help options`');
    if (words === path)
      expect(stdout).toBe(
        withoutColor(readFileSync(`dist/prepared/help-${path.replaceAll(' ', '-')}.txt`, 'utf8')),
      );
    for (const line of examples) expect(stdout).toContain(`  $ ${line}\n`);
    expect(examples.length).toBeGreaterThan(0);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(
      ['push', 'run', 'runs', 'serve', 'val runs'].includes(path) ? 41 : 27,
    );
  });

  it('answers a wrong flag with a usage error in JSON and an empty stdout', async () => {
    const flags = path === 'run' ? ['--json', '--jsno'] : ['--jsno', '--json'];
    const { exit, stdout, error } = await run([...path.split(' '), ...flags]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(error).toMatchObject({ kind: 'usage', exit: 2, message: expect.stringContaining('--json') });
  });
});

function writesToVal(command: LoadedCommand): boolean {
  const definitions = [...argumentsOf(command), ...optionsOf(command)];
  return !['reads', 'runs'].includes(command.effect) && definitions.some(([, { value }]) => value?.val);
}

it.each(commands.filter(writesToVal))('vals $path writes to a val, so it has --dry-run', ({ options }) => {
  expect(options).toHaveProperty('dryRun');
});

it.each([
  ['ls', ['--json', '--fields', '--ndjson']],
  ['config', ['--json', '--fields', '--ndjson']],
  ['val get', ['--json', '--fields']],
  ['push', ['--json']],
])('the help of vals %s lists %j among its own options', async (path, options) => {
  const { stdout } = await run([...path.split(' '), '--help']);
  const listed = stdout.match(/(?<=^ {2})--(?:json|fields|ndjson)\b/gm);
  expect(listed?.toSorted()).toEqual(options.toSorted());
});
