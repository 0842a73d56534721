// The tests stand on the same cut as src: a feature can be deleted together with its tests.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { features } from './support/features.ts';

/** Tests across features. Each says at its top what it needs. */
const journeys = 'test/journeys/';

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => join('test', file))
  .filter((file) => /\.(?:ts|mjs)$/.test(file) && !file.startsWith(journeys));

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from |import\(|^import )'(\.[^']+)'/gm)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  );

/** The feature whose folder in src or test has the file. */
const featureOf = (file: string): string | undefined =>
  features.find((feature) => file.startsWith(`src/${feature}/`) || file.startsWith(`test/${feature}/`));

test('a test of core uses no feature, and a test of a feature only its own', () => {
  const wrong = ['vitest.config.mts', ...files].flatMap((file) => {
    const others = importsOf(file).filter((other) => {
      const feature = featureOf(other);
      return feature !== undefined && feature !== featureOf(file);
    });
    return others.map((other) => `${file} -> ${other}`);
  });
  expect(wrong.join('\n')).toBe('');
});
