import { execa } from 'execa';
import { expect, it } from 'vitest';
import { isLong } from './support/cases.ts';
import { features } from './support/features.ts';

it.runIf(isLong).each(features)('without %s, the rest builds, and its tests pass', async (feature) => {
  const { exitCode, all } = await execa('node', ['test/delete-features.mjs', feature], {
    all: true,
    reject: false,
  });
  expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.any(String) });
});
