import { expect, it } from 'vitest';
import { expectedOf, outcomeOf, programs } from './programs.ts';

it.each(programs)('$name', async (program) => {
  const { exit, stdout, stderr } = await outcomeOf(program);
  const expected = expectedOf(program, process.versions.node);
  const says = expected.stderr instanceof RegExp ? expect.stringMatching(expected.stderr) : expected.stderr;
  expect({ exit, stdout, stderr }).toEqual({ ...expected, stderr: says });
});
