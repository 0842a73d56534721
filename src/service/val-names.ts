// Makes names for vals without one: two words and a number, easy to say and to tell apart.
import { randomInt } from 'node:crypto';

const qualities = ['amber', 'brave', 'calm', 'clear', 'eager', 'fond', 'gentle', 'keen', 'lively', 'quiet'];
const things = ['Birch', 'Brook', 'Cloud', 'Ember', 'Fern', 'Harbor', 'Lark', 'Meadow', 'River', 'Stone'];

/** Yields names from an ever larger range, until the caller has found a free one. */
export function* newNames(): Generator<string> {
  for (let range = 100; ; range *= 2) {
    yield `${pick(qualities)}${pick(things)}${randomInt(10, Math.min(range, 1e9))}`;
  }
}

const pick = (words: readonly string[]): string => words[randomInt(words.length)] as string;
