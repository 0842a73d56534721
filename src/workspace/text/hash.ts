// Code as a short text that two sides can be compared by.
import { createHash } from 'node:crypto';

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
