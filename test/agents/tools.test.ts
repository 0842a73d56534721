import { expect, it } from 'vitest';
import { createToolOut } from '../../src/agents/tool-out.ts';
import { entryFor } from '../../src/agents/tool-table.ts';
import { type AgentPermissions, isAllowed, toolOf } from '../../src/agents/tools.ts';
import { loadCommands } from '../../src/core/command-line/command-tree.ts';
import { commandTree } from '../../src/main.ts';
import { has } from '../support/features.ts';

const commands = await loadCommands(commandTree);
const toolsFor = (permissions: AgentPermissions) =>
  commands
    .filter((command) => isAllowed(command, permissions))
    .map((command) => toolOf(command, permissions));
const namesFor = (permissions: AgentPermissions) =>
  toolsFor(permissions)
    .map(({ name }) => name)
    .sort();

it.each<[AgentPermissions, readonly string[]]>([
  [{}, ['reads', 'adds', 'updates']],
  [{ readOnly: true }, ['reads']],
  [{ allowDelete: true }, ['reads', 'adds', 'updates', 'deletes']],
  [{ allowRun: true }, ['reads', 'adds', 'updates', 'runs']],
])('with the permissions %j, agents have the tools whose effects are %j', (permissions, effects) => {
  const allowed = commands.filter(
    ({ path, effect }) => entryFor(path) !== undefined && effects.includes(effect),
  );
  expect(namesFor(permissions)).toEqual(allowed.map(({ path }) => path.replace(' ', '_')).sort());
});

const hidden =
  'baseUrl local timeout debug color json fields quiet yes follow full watch http port allowAll'.split(' ');

it('a tool has no input for settings, for options that only people use or, unless allowed, for deletions', () => {
  const inputsOf = (tool: string, permissions: AgentPermissions) =>
    Object.keys(toolsFor(permissions).find(({ name }) => name === tool)?.inputSchema.properties ?? {});
  const all = { allowDelete: true, allowRun: true };
  for (const name of namesFor(all)) {
    expect([name, inputsOf(name, all).filter((input) => hidden.includes(input))]).toEqual([name, []]);
  }
  expect(inputsOf('runs', all)).not.toContain('all');
  if (has('workspace')) expect(inputsOf('push', all)).toContain('prune');
  expect(inputsOf('push', {})).not.toContain('prune');
});

it('annotations match the effects of the commands', () => {
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
    val_create: '',
    version_restore: '',
    push: 'destructive idempotent',
    val_rm: 'destructive idempotent',
    ...(has('workspace') && { status: 'readOnly idempotent', pull: 'destructive idempotent' }),
    ...(has('run') && { run: 'destructive openWorld' }),
  });
});

it('what the table says otherwise is said of inputs that the tools have', () => {
  for (const { path, arguments: named = {}, options = {} } of commands) {
    const { inputs = {}, codeFor } = entryFor(path) ?? {};
    const said = [...Object.keys(inputs), ...(codeFor === undefined ? [] : [codeFor])];
    expect(Object.keys({ ...named, ...options })).toEqual(expect.arrayContaining(said));
  }
});

it('descriptions name tools and inputs, not commands and options', () => {
  for (const { name, description, inputSchema } of toolsFor({ allowDelete: true, allowRun: true })) {
    const texts = [description, ...Object.values(inputSchema.properties).map((each) => each.description)];
    for (const text of texts)
      expect([name, text]).toEqual([name, expect.not.stringMatching(/--[a-z]|`vals |standard input|press/i)]);
  }
});

it('what a command says beside a long result is cut', async () => {
  const out = createToolOut({
    writeHints: (hints) => `${hints}`,
    log() {},
    redact: (text) => text,
    onProgress() {},
  });
  const rows = Array.from({ length: 6 }, () => ({ status: 'pushed', large: 'x'.repeat(12_000) }));
  await out.show({ kind: 'list', rows });
  for (let count = 0; count < 1_000; count++) out.say({ kind: 'warning', text: `Skipped ${count}.` });
  const { document, texts } = await out.toolResult(undefined);
  expect(document).toMatchObject({ items: [{}, {}, {}], more: true });
  expect(texts.join('').length).toBeLessThanOrEqual(50_000);
});

it('an input that takes some words has them, and a number has its limits', () => {
  const inputs = (tool: string) =>
    toolsFor({ allowRun: true }).find(({ name }) => name === tool)?.inputSchema.properties;
  expect(inputs('val_create')?.privacy?.enum).toEqual(['public', 'unlisted', 'private']);
  expect(inputs('runs')?.limit).toMatchObject({ type: 'integer', minimum: 1 });
  const limits = { type: 'number', exclusiveMinimum: 0, maximum: 86_400 };
  if (has('run')) expect(inputs('run')?.maxTime).toMatchObject(limits);
  if (has('run')) expect(inputs('run')?.env?.description).toMatch(/NAME=VALUE; it gets none/);
});
