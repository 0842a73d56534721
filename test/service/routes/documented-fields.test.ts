import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { isObject } from '../../../src/core/lib/json.ts';
import { recordSchemas } from '../../../src/service/schemas.ts';

const { Val, Version, RunWithLogs, User, Reference } = recordSchemas;

it.each<[string, object]>([
  ['A val', Val],
  ['A version', Version],
  ['A run', RunWithLogs],
  ['A user', User],
  ['A reference', Reference],
])('docs/fields.md has exactly the fields of the embedded service: %s', async (title, schema) => {
  const documented = [...(await sectionOf(title)).matchAll(/^\| `(\S+)` \|/gm)].map(([, field]) => field);
  expect(documented.sort()).toEqual(fieldsOf(schema).sort());
});

async function sectionOf(title: string): Promise<string> {
  const page = await readFile('docs/fields.md', 'utf8');
  return page.split('\n## ').find((part) => part.startsWith(`${title}\n`)) ?? '';
}

function fieldsOf(schema: unknown): string[] {
  if (!isObject(schema)) return [''];
  if (Array.isArray(schema.anyOf)) return fieldsOf(schema.anyOf[0]);
  if (!isObject(schema.properties)) return [''];
  return Object.entries(schema.properties).flatMap(([key, property]) =>
    fieldsOf(property).map((below) => (below === '' ? key : `${key}.${below}`)),
  );
}
