import { expect, test } from 'vitest';
import { createMemoryLimit } from '../../../src/service/http/memory-limit.ts';

const MiB = 1024 * 1024;
const limits = { perCaller: 64 * MiB, total: 256 * MiB, small: 16 * MiB, kept: 128 * MiB };

function createHolder() {
  const holdMemory = createMemoryLimit(limits);
  return (caller: string, bytes: number): number => {
    try {
      holdMemory(caller).add(bytes);
      return 200;
    } catch (error) {
      return (error as { status: number }).status;
    }
  };
}

test('callers who hold as much as they can leave memory for others', () => {
  const hold = createHolder();
  const greedy = ['eve', 'address of eve', 'mallory', 'address of mallory'];
  for (const caller of greedy) for (let i = 0; i < 100; i++) hold(caller, MiB);
  expect(greedy.map((caller) => hold(caller, MiB))).not.toContain(200);
  expect(['ada', 'bob', 'cyd'].map((caller) => hold(caller, 12 * MiB))).toEqual([200, 200, 200]);
});

test('many callers who hold little stay within the limit of all callers', () => {
  const hold = createHolder();
  const statuses = Array.from({ length: 400 }, (_, i) => hold(`address ${i}`, MiB));
  expect(statuses.filter((status) => status === 200)).toHaveLength(253);
  expect(statuses.at(-1)).toBe(503);
});

test('released memory is free again', () => {
  const holdMemory = createMemoryLimit(limits);
  const held = holdMemory('eve');
  held.add(62 * MiB);
  expect(() => holdMemory('eve')).toThrow(/unread answers/);
  held.release();
  expect(() => holdMemory('eve')).not.toThrow();
});
