import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadTree } from '../../src/cli/command-tree.ts';
import { commandTree } from '../../src/commands/index.ts';
import { isObject } from '../../src/lib/json.ts';
import { recordSchemas } from '../../src/service/routes/schemas.ts';
import { referenceOf } from './reference.ts';

it('docs/reference.md is up to date', async () => {
  const reference = referenceOf(await loadTree(commandTree), await readFile('docs/guide.md', 'utf8'));
  await expect(reference).toMatchFileSnapshot('../../docs/reference.md');
});

const { Val, Version, RunWithLogs, User, Comment, Reference } = recordSchemas;

it.each<[string, object]>([
  ['A val', Val],
  ['A version', Version],
  ['A run', RunWithLogs],
  ['A user', User],
  ['A comment', Comment],
  ['A reference', Reference],
])('docs/fields.md has exactly the fields of the embedded service: %s', async (title, schema) => {
  const page = await readFile('docs/fields.md', 'utf8');
  const section = page.split('\n## ').find((part) => part.startsWith(`${title}\n`)) ?? '';
  const documented = [...section.matchAll(/^\| `(\S+)` \|/gm)].map(([, field]) => field);
  expect(documented.sort()).toEqual(fieldsOf(schema).sort());
});

function fieldsOf(schema: unknown): string[] {
  if (!isObject(schema)) return [''];
  if (Array.isArray(schema.anyOf)) return fieldsOf(schema.anyOf[0]);
  if (!isObject(schema.properties)) return [''];
  return Object.entries(schema.properties).flatMap(([key, property]) =>
    fieldsOf(property).map((below) => (below === '' ? key : `${key}.${below}`)),
  );
}
