// The next file runs in the same process, so everything that this file started has to end.
import { afterAll } from 'vitest';
import { endAll } from './support.ts';

afterAll(endAll);
