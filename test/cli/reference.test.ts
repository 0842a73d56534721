import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadTree } from '../../src/cli/command-tree.ts';
import { commandTree } from '../../src/commands/index.ts';
import { referenceOf } from './reference.ts';

it('docs/reference.md is up to date', async () => {
  const reference = referenceOf(await loadTree(commandTree), await readFile('docs/guide.md', 'utf8'));
  await expect(reference).toMatchFileSnapshot('../../docs/reference.md');
});
