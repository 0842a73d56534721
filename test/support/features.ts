import { readdirSync } from 'node:fs';

/** The features that are there: each folder of src but core. */
export const features: readonly string[] = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'core')
  .map(({ name }) => name);

/** For a test that needs another feature, too: without that, it does not run. */
export const has = (feature: string): boolean => features.includes(feature);

/** No feature was deleted. */
export const hasAll = ['workspace', 'run', 'service', 'agents'].every(has);
