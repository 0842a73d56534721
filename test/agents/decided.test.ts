import { expect, it } from 'vitest';
import { captureOutput } from '../../src/agents/captured-output.ts';
import { isAllowed, type Permissions, toolOf } from '../../src/agents/tools.ts';
import { createWording } from '../../src/agents/wording.ts';
import { commandsOf, loadTree } from '../../src/cli/command-tree.ts';
import { commandTree } from '../../src/commands/index.ts';
import { createHintWriter } from '../../src/lib/hint.ts';
import { shell } from '../../src/lib/shell-command.ts';

const commands = commandsOf(await loadTree(commandTree));
const wording = createWording(commands, {});
const toolsFor = (permissions: Permissions) =>
  commands
    .filter((command) => isAllowed(command, permissions))
    .map((command) => toolOf(command, permissions, wording));
const namesFor = (permissions: Permissions) =>
  toolsFor(permissions)
    .map(({ name }) => name)
    .sort();

const reading =
  'check me runs likes comments refs ls val_get val_runs version_ls version_get version_diff status diff'.split(
    ' ',
  );
const writing = 'val_create val_set push version_new version_restore pull'.split(' ');
it.each<[Permissions, readonly string[]]>([
  [{}, [...reading, ...writing]],
  [{ readOnly: true }, reading],
  [{ allowDelete: true }, [...reading, ...writing, 'val_rm', 'version_rm']],
  [{ allowRun: true }, [...reading, ...writing, 'run']],
])('with the permissions %j, agents have exactly the expected tools', (permissions, names) => {
  expect(namesFor(permissions)).toEqual(names.toSorted());
});

it('a command that writes has --dry-run, and a command that reads has not', () => {
  const withoutPlan = new Set(['run']);
  for (const { path, effect, isTool, options = {} } of commands) {
    if (isTool && !withoutPlan.has(path))
      expect([path, 'dryRun' in options]).toEqual([path, effect !== 'reads']);
  }
});

it('a tool has no input for settings or for options that only people use', () => {
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

it('push has prune only if deletions are allowed', () => {
  const pushes = (permissions: Permissions) =>
    Object.keys(toolsFor(permissions).find(({ name }) => name === 'push')?.inputSchema.properties ?? {});
  expect(pushes({})).not.toContain('prune');
  expect(pushes({ allowDelete: true })).toContain('prune');
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
    status: 'readOnly idempotent',
    val_create: '',
    version_restore: '',
    push: 'destructive idempotent',
    pull: 'destructive idempotent',
    val_rm: 'destructive idempotent',
    run: 'destructive openWorld',
  });
});

it('descriptions name tools and inputs, not commands and options', () => {
  for (const { name, description, inputSchema } of toolsFor({ allowDelete: true, allowRun: true })) {
    const texts = [description, ...Object.values(inputSchema.properties).map((each) => each.description)];
    for (const text of texts)
      expect([name, text]).toEqual([name, expect.not.stringMatching(/--[a-z]|`vals |standard input|press/i)]);
  }
});

it.each([
  ['`vals pull --merge` merges both.', '`pull {"merge": true}` merges both.'],
  [
    "Run `vals pull 'my file.ts' b.ts --file <path>`.",
    'Run `pull {"vals": ["my file.ts","b.ts"], "file": "<path>"}`.',
  ],
  ["Run `vals diff 'it'\\''s.ts'`.", 'Run `diff {"vals": ["it\'s.ts"]}`.'],
  [
    'Add a name, such as `vals push - --name hello`.',
    'Add a name, such as `push {"code": "...", "name": "hello"}`.',
  ],
  ['Code from standard input needs a name.', 'code needs a name.'],
  ['Run `vals val get hello --json`.', 'Run `val_get {"val": "hello"}`.'],
  ['Omit one of them. To list the options, run `vals val get --help`.', 'Omit one of them.'],
  ['To give it more time, add --max-time <seconds>.', 'To give it more time, add maxTime.'],
  [
    '`vals version ls <val>` lists them; --dry-run tries it.',
    '`version_ls {"val": "<val>"}` lists them; dryRun tries it.',
  ],
  [
    '`vals push --prune` deletes them.',
    '`vals push --prune` deletes them. A person has to run that command: it is not a tool.',
  ],
  [
    'Run `vals login --base-url https://a.example`.',
    'Run `vals login --base-url https://a.example`. A person has to run that command: it is not a tool.',
  ],
  ['Run `vals login`.', 'Run `vals login`. A person has to run that command: it is not a tool.'],
])('%j becomes %j for an agent', (text, said) => {
  expect(
    createWording(
      commands.filter((command) => isAllowed(command, {})),
      {},
    )(text),
  ).toBe(said);
});

it.each(["it's", '\\', "\\'", '\\\\ x --force'])('an agent gets the id %j as one word', (id) => {
  expect(wording(shell`vals pull ${id} --merge`)).toBe(
    `\`pull {"vals": [${JSON.stringify(id)}], "merge": true}\``,
  );
});

it('a list that is too large loses unchanged items first, and all outcomes are counted', async () => {
  const large = 'x'.repeat(300_000);
  const rows = ['unchanged', 'unchanged', 'unchanged', 'failed', 'skipped', 'pushed'].map((status) => ({
    status,
    large,
  }));
  for (const result of [{ kind: 'list', rows } as const, { kind: 'outcomes', rows } as const]) {
    const captured = captureOutput({
      env: {},
      hints: createHintWriter(({ text }) => text),
      log() {},
      onProgress() {},
    });
    await captured.output.receive?.(result);
    const { document, texts } = await captured.answer(undefined);
    expect(document).toMatchObject({
      items: [{ status: 'failed' }, { status: 'pushed' }, { status: 'unchanged' }],
      more: true,
    });
    expect(texts[1]).toContain('There are more records, but the whole list is too large for one answer.');
    if (result.kind === 'outcomes') expect(texts[1]).toContain('All 6 outcomes: ');
  }
});

it('the input privacy lists its values', () => {
  const tools = toolsFor({}).filter(({ inputSchema }) => 'privacy' in inputSchema.properties);
  expect(tools.map(({ name, inputSchema }) => [name, inputSchema.properties.privacy?.enum])).toEqual(
    ['ls', 'val_create', 'val_set'].map((name) => [name, ['public', 'unlisted', 'private']]),
  );
});

it.each(['To ', '--a <', '`a'])('a long text of a service is worded at once: %j', (unit) => {
  const text = unit.repeat(100_000);
  const began = performance.now();
  expect(wording(`The val is named "${text}".`).length).toBeGreaterThan(100_000);
  expect(performance.now() - began).toBeLessThan(20_000);
});
