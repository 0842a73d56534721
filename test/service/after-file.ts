import { afterAll } from 'vitest';
import { endAll } from './support.ts';

afterAll(endAll);
