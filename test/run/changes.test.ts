import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { watchFiles } from '../../src/run/changes.ts';
import { folderOf } from '../support/program.ts';

function watched(clock = systemClock) {
  const file = join(folderOf({ 'a.ts': '' }), 'a.ts');
  let reloads = 0;
  const changes = watchFiles([file], clock, () => {
    reloads += 1;
  });
  onTestFinished(changes.close);
  return { changes, reloads: () => reloads, save: (text: string) => writeFileSync(file, text) };
}

it('a request after a save waits until the save is reported', async () => {
  const { changes, reloads, save } = watched();
  for (const [index, text] of ['one', 'longer'].entries()) {
    save(text);
    await changes.seen();
    expect(reloads()).toBe(index + 1);
  }
  await changes.seen();
  expect(reloads()).toBe(2);
});

it('after the end of the watch, no reload follows a save before it', () => {
  const timers = new Set<() => void>();
  const clock = {
    ...systemClock,
    after(_ms: number, callback: () => void) {
      timers.add(callback);
      return () => void timers.delete(callback);
    },
  };
  const { changes, save } = watched(clock);
  save('one');
  void changes.seen();
  expect(timers.size).toBe(2);
  changes.close();
  expect(timers.size).toBe(0);
});
