import { expect, test } from 'vitest';
import { createWriteSlots } from '../../../src/service/database/write-slots.ts';

test('a write that waited too long for other writes to its row is refused, and others are not', async () => {
  let now = 0;
  const slots = createWriteSlots(500, () => now);
  let finish = () => {};
  const first = slots.run('a', () => new Promise<void>((resolve) => (finish = resolve)));
  const late = [1, 2].map(() => slots.run('a', async () => 'done').catch(({ kind }) => kind));
  expect(slots.waiting()).toBe(2);
  expect(await slots.run('b', async () => 'done')).toBe('done');
  expect(await slots.run(undefined, async () => 'done')).toBe('done');
  now = 501;
  finish();
  await first;
  expect(await Promise.all(late)).toEqual(['busy', 'busy']);
  await expect(slots.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await slots.run('a', async () => 'done')).toBe('done');
  expect(slots.waiting()).toBe(0);
});
