// Every command has decided what it does, and whether agents get it.
import { expect, it } from 'vitest';
import { isAllowed, type Permissions, toolName, toolOf } from '../../src/agents/tools.ts';
import { createWording } from '../../src/agents/wording.ts';
import { commandsOf, loadTree } from '../../src/cli/command-tree.ts';
import { commandTree } from '../../src/commands/index.ts';

const commands = commandsOf(await loadTree(commandTree));
const wording = createWording(commands.map(({ path }) => path));
const toolsFor = (permissions: Permissions) =>
  commands
    .filter((command) => isAllowed(command, permissions))
    .map((command) => toolOf(command, permissions, wording));
const namesFor = (permissions: Permissions) =>
  toolsFor(permissions)
    .map(({ name }) => name)
    .sort();

const reading =
  'me runs likes comments refs ls val_get val_runs version_ls version_get version_diff status diff'.split(
    ' ',
  );
const writing = 'val_create val_set push version_new version_restore pull'.split(' ');
/** A command that does not exist yet is no tool yet. */
const there = (names: readonly string[]) =>
  names.filter((name) => commands.some((command) => toolName(command) === name));

it.each<[Permissions, readonly string[]]>([
  [{}, [...reading, ...writing]],
  [{ readOnly: true }, reading],
  [{ allowDelete: true }, [...reading, ...writing, 'val_rm', 'version_rm']],
  [{ allowRun: true }, [...reading, ...writing, 'run']],
])('with %j agents have exactly the tools that are promised', (permissions, names) => {
  expect(namesFor(permissions)).toEqual(there(names).sort());
});

it('a command that reads has no --dry-run, and one that writes has it', () => {
  const withoutPlan = new Set(['run']);
  for (const { path, effect, isTool, options = {} } of commands) {
    if (isTool && !withoutPlan.has(path))
      expect([path, 'dryRun' in options]).toEqual([path, effect !== 'reads']);
  }
});

it('settings, and options for people at a terminal, are no input of a tool', () => {
  const hidden =
    'baseUrl local timeout debug color json fields quiet yes follow full watch http port allowAll all exitCode';
  for (const tool of toolsFor({ allowDelete: true, allowRun: true })) {
    const names = Object.keys(tool.inputSchema.properties);
    const wrong = names.filter(
      (name) => hidden.split(' ').includes(name) && !(tool.name === 'pull' && name === 'all'),
    );
    expect([tool.name, wrong]).toEqual([tool.name, []]);
  }
});

it('push has prune only where deletions are allowed', () => {
  const pushes = (permissions: Permissions) =>
    Object.keys(toolsFor(permissions).find(({ name }) => name === 'push')?.inputSchema.properties ?? {});
  const canPrune = 'prune' in (commands.find(({ path }) => path === 'push')?.options ?? {});
  expect(pushes({})).not.toContain('prune');
  expect(pushes({ allowDelete: true }).includes('prune')).toBe(canPrune);
});

it('annotations say what a tool does', () => {
  const hints = Object.fromEntries(
    toolsFor({ allowDelete: true, allowRun: true }).map(({ name, annotations }) => [
      name,
      Object.entries(annotations)
        .flatMap(([hint, is]) => (is ? [hint.replace('Hint', '')] : []))
        .join(' '),
    ]),
  );
  expect(hints).toMatchObject({
    me: 'readOnly idempotent',
    status: 'readOnly idempotent',
    val_create: '',
    version_restore: '',
    push: 'destructive idempotent',
    pull: 'destructive idempotent',
    val_rm: 'destructive idempotent',
    run: 'destructive openWorld',
  });
});

it('a tool speaks of tools, not of a command line', () => {
  for (const { name, description, inputSchema } of toolsFor({ allowDelete: true, allowRun: true })) {
    const texts = [description, ...Object.values(inputSchema.properties).map((each) => each.description)];
    for (const text of texts)
      expect([name, text]).toEqual([name, expect.not.stringMatching(/--[a-z]|`vals |standard input|press/i)]);
  }
});

it.each([
  ['`vals pull --merge` merges both.', '`pull` (merge) merges both.'],
  [
    '`vals version ls <val>` lists them; --dry-run tries it.',
    '`version_ls` (<val>) lists them; dryRun tries it.',
  ],
  ['Run `vals login`.', 'Run `vals login`. A person has to run that command: it is not a tool.'],
])('%j is %j to an agent', (text, said) => {
  expect(createWording(['pull', 'version ls'])(text)).toBe(said);
});
