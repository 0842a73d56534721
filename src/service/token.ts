// Tokens of people: made here, shown once, and known from then on by their digest.
import { createHash, randomBytes } from 'node:crypto';

export const newToken = (): string => `vals_${randomBytes(32).toString('base64url')}`;

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A text without the tokens in it. */
export const withoutTokens = (text: string): string => text.replace(/vals_(?:local_)?[\w-]{43}/g, '***');
