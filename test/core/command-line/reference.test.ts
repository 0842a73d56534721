import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadCommands } from '../../../src/core/command-line/command-tree.ts';
import { outcomeMarks } from '../../../src/core/commands/shared/columns.ts';
import * as errors from '../../../src/core/errors.ts';
import { commandTree } from '../../../src/main.ts';
import { referenceOf } from './reference.ts';

it('docs/reference.md is up to date', async () => {
  const reference = referenceOf(await loadCommands(commandTree));
  await expect(reference).toMatchFileSnapshot('../../../docs/reference.md');
});

const errorKinds = Object.values(errors)
  .filter((value) => typeof value === 'function')
  .filter(({ prototype }) => prototype instanceof errors.ValsError)
  .map((errorClass): string => Reflect.construct(errorClass, ['']).kind);
const bug = errors.asValsError(new Error('')).kind;

it.each<[string, string, string[]]>([
  ['An outcome', 'status', Object.keys(outcomeMarks)],
  ['An error', 'kind', [...errorKinds, bug]],
])('docs/fields.md has exactly the values of the program: %s, %s', async (title, field, values) => {
  const [, meaning = ''] = new RegExp(`^\\| \`${field}\` \\| (.*)$`, 'm').exec(await sectionOf(title)) ?? [];
  const documented = [...meaning.matchAll(/`(\w+)`/g)].map(([, value]) => value);
  expect(documented.sort()).toEqual([...new Set(values)].sort());
});

async function sectionOf(title: string): Promise<string> {
  const page = await readFile('docs/fields.md', 'utf8');
  return page.split('\n## ').find((part) => part.startsWith(`${title}\n`)) ?? '';
}
