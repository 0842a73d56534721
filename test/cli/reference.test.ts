import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadTree } from '../../src/cli/command-tree.ts';
import { commandTree } from '../../src/commands/index.ts';
import { isObject } from '../../src/lib/json.ts';
import { recordSchemas } from '../../src/service/routes/schemas.ts';
import { serviceRecords } from './record-fields.ts';
import { referenceOf } from './reference.ts';

it('docs/reference.md is up to date', async () => {
  const reference = referenceOf(await loadTree(commandTree), await readFile('docs/guide.md', 'utf8'));
  await expect(reference).toMatchFileSnapshot('../../docs/reference.md');
});

it.each(Object.entries(serviceRecords))('the reference has exactly the fields of %s', (name, { fields }) => {
  const schema = Object.entries(recordSchemas).find(([each]) => each === name)?.[1];
  expect(Object.keys(fields).sort()).toEqual(fieldsOf(schema).sort());
});

function fieldsOf(schema: unknown): string[] {
  if (!isObject(schema)) return [''];
  if (Array.isArray(schema.anyOf)) return fieldsOf(schema.anyOf[0]);
  if (!isObject(schema.properties)) return [''];
  return Object.entries(schema.properties).flatMap(([key, property]) =>
    fieldsOf(property).map((below) => (below === '' ? key : `${key}.${below}`)),
  );
}
