// Words of other tools lead to commands that are there, and stand in no command's way.
import { expect, it } from 'vitest';
import { pathsOf } from '../../src/cli/command-tree.ts';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';
import { commandTree } from '../../src/commands/index.ts';

it.each(Object.entries(commandTree.otherWords))('%s: vals %s', async (words, line) => {
  expect(pathsOf(commandTree)).not.toContain(words);
  expect(await parseCommandLine([...line.split(' '), '--help'], commandTree, 80)).toHaveProperty('text');
  const refused = await parseCommandLine(words.split(' '), commandTree, 80);
  expect(refused).toHaveProperty('error.message', expect.stringContaining(`Did you mean \`vals ${line}\`?`));
});
