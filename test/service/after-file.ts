// Ends everything that the tests of a file have started, because the next file runs in the same process.
import { afterAll } from 'vitest';
import { endAll } from './support.ts';

afterAll(endAll);
