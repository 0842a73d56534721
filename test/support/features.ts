import { readdirSync } from 'node:fs';

/** The features that are there: each folder of src but core. */
export const features: readonly string[] = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'core')
  .map(({ name }) => name);
