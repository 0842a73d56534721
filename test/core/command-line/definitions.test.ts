import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { LoadedCommand } from '../../../src/core/command-line/command.ts';
import { loadCommands } from '../../../src/core/command-line/command-tree.ts';
import { argumentsOf, optionsOf } from '../../../src/core/command-line/options.ts';
import { withoutColor } from '../../../src/core/output/style.ts';
import { commandTree } from '../../../src/main.ts';
import { run } from '../../support/program.ts';

const commands = await loadCommands(commandTree);

it.each(commands)('vals $path has a help screen', async ({ path, examples, summary }) => {
  const { exit, stdout, stderr } = await run([...path.split(' '), '--help']);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^Usage: vals .*\\b${path.split(' ').at(-1)}\\b`));
  expect(stdout).toContain('`vals help options`');
  const prepared = `dist/prepared/help-${path.replaceAll(' ', '-')}.txt`;
  expect(stdout).toBe(withoutColor(readFileSync(prepared, 'utf8')));
  for (const line of examples) expect(stdout).toContain(`  $ ${line}\n`);
  expect(examples.length).toBeGreaterThan(0);
  expect(summary).toMatch(/^[A-Z].*[^.]$/);
  const most = ['push', 'run', 'runs', 'serve'].includes(path) ? 41 : 27;
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(most);
});

it.each(commands)('the help of vals $path names the options of its examples', async ({ path, examples }) => {
  const { stdout } = await run([...path.split(' '), '--help']);
  const [beforeExamples = ''] = stdout.split('\nExamples:\n');
  const parts = examples.flatMap((line) => line.split('|')).filter((part) => /^ *vals /.test(part));
  const named: readonly string[] = beforeExamples.match(/--?[a-zA-Z][\w-]*/g) ?? [];
  const typed = parts.flatMap((part) => part.match(/(?<= )--?[a-zA-Z][\w-]*/g) ?? []);
  expect(named).toEqual(expect.arrayContaining(typed));
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
