import { expect, it } from 'vitest';
import { toolOf } from '../../src/agents/tools.ts';
import { defineCommand, type OptionDefinition } from '../../src/cli/command.ts';
import { type CommandTree, loadTree } from '../../src/cli/command-tree.ts';
import { completions } from '../../src/cli/completion/completions.ts';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';
import { createShellHints } from '../../src/cli/shell-hints.ts';
import * as types from '../../src/cli/value-types.ts';

interface Case {
  option: OptionDefinition;
  typed: string[];
  input: unknown;
  flags: string;
  schema: object;
  offers?: readonly string[];
  words?: readonly string[];
  wrong?: [word: string, message: string];
}

const description = 'what it does';
const textCase = { typed: ['--new-one', 'x'], input: 'x', schema: { type: 'string' } };
const integerSchema = { type: 'integer', minimum: 0 };

const cases: Record<string, Case> = {
  'on or off': {
    option: { description, short: 'n' },
    typed: ['-n'],
    input: true,
    flags: '-n, --new-one',
    schema: { type: 'boolean' },
  },
  negatable: {
    option: { description, negatable: 'the opposite' },
    typed: ['--no-new-one'],
    input: false,
    flags: '--no-new-one',
    schema: { type: 'boolean', description: 'what it does; false: the opposite' },
  },
  text: { ...textCase, option: { description, value: types.text('name') }, flags: '--new-one <name>' },
  repeatable: {
    option: { description, value: types.text('name'), repeatable: true },
    typed: ['--new-one', 'x', '--new-one=y'],
    input: ['x', 'y'],
    flags: '--new-one <name>',
    schema: { type: 'array', items: { type: 'string' } },
  },
  val: {
    ...textCase,
    option: { description, value: types.val() },
    flags: '--new-one <val>',
    offers: ['vals'],
  },
  oneOf: {
    option: { description, value: types.oneOf(['red', 'blue']), default: 'red' },
    typed: ['--new-one', 'blue'],
    input: 'blue',
    flags: '--new-one <word>',
    schema: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    words: ['red', 'blue'],
    wrong: ['blu', '--new-one takes one of red, blue, not "blu". Did you mean blue?'],
  },
  integer: {
    option: { description, value: types.integer({ min: 1, max: 9 }) },
    typed: ['--new-one', '7'],
    input: 7,
    flags: '--new-one <n>',
    schema: { type: 'integer', minimum: 1, maximum: 9 },
    wrong: ['10', '--new-one takes a whole number from 1 to 9, not "10".'],
  },
  versionNumber: {
    option: { description, value: types.versionNumber() },
    typed: ['--new-one', '007'],
    input: 7,
    flags: '--new-one <n>',
    schema: integerSchema,
    offers: ['versions'],
    wrong: ['x', '--new-one takes the number of a version, not "x".'],
  },
  time: {
    option: { description, value: types.time() },
    typed: ['--new-one', '2026-01-31T09:30:00.000Z'],
    input: '2026-01-31T09:30:00.000Z',
    flags: '--new-one <time>',
    schema: { type: 'string' },
    wrong: ['abc', '--new-one takes a time, not "abc".'],
  },
};

it.each(Object.entries(cases))('an option (%s) is written once', async (_name, each) => {
  const command = defineCommand({
    summary: 'Test an option',
    options: { newOne: each.option },
    examples: ['vals test'],
    columns: [],
    run: () => ({ kind: 'nothing' }),
  });
  const entry = { path: 'test', effect: 'reads' as const, isTool: true, load: async () => ({ command }) };
  const tree: CommandTree = {
    groups: [{ title: 'All:', commands: [entry] }],
    topics: {},
    wordsOfOthers: {},
  };
  const parse = (...words: string[]) => parseCommandLine(['test', ...words], tree, 120);

  expect(await parse(...each.typed)).toMatchObject({ kind: 'command', input: { newOne: each.input } });
  const [word, message] = each.wrong ?? [];
  if (word) expect(await parse('--new-one', word)).toHaveProperty('error.message', message);

  const help = await parse('--help');
  expect(help.kind === 'help' && help.text).toContain(each.flags);

  const loaded = { ...command, ...entry };
  const schema = { description, ...each.schema };
  expect(toolOf(loaded, {}).inputSchema.properties).toEqual({ newOne: schema });

  const completed = completions(await loadTree(tree), ['test', '--new-one'], '');
  if (each.option.value) {
    expect(completed.offers).toEqual(each.offers ?? []);
    expect(completed.candidates.map(({ word }) => word)).toEqual(each.words ?? []);
  }
  expect(completions(await loadTree(tree), ['test'], '--n').candidates).toContainEqual(
    expect.objectContaining({ word: '--new-one', description }),
  );

  const write = createShellHints({ tree, platform: 'linux', current: command, typedWords: new Map() });
  const hint = { text: 'To test', input: { newOne: each.input as string } };
  expect(await write(hint)).toBe(`To test, add ${each.typed.join(' ').replace(/^-n$|=|007/g, fixed)}.`);
});

const fixed = (typed: string): string => ({ '-n': '--new-one', '=': ' ', '007': '7' })[typed] ?? typed;
