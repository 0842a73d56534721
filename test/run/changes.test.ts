import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { watchFiles } from '../../src/run/changes.ts';
import { folderOf } from '../support/program.ts';

function watched(clock = systemClock) {
  const file = join(folderOf({ 'a.ts': '' }), 'a.ts');
  const reloads: (() => void)[] = [];
  const reload = () => new Promise<void>((resolve) => reloads.push(resolve));
  const changes = watchFiles([file], clock, reload);
  onTestFinished(changes.close);
  return { changes, reloads, save: (text: string) => writeFileSync(file, text) };
}

it('a request during a reload waits until the reload is done, and for a save meanwhile', async () => {
  const { changes, reloads, save } = watched();
  let released = 0;
  const arrive = () => void changes.seen().then(() => (released += 1));
  save('one');
  arrive();
  await expect.poll(() => reloads.length).toBe(1);
  arrive();
  save('longer');
  arrive();
  reloads[0]?.();
  await expect.poll(() => reloads.length).toBe(2);
  expect(released).toBe(0);
  reloads[1]?.();
  await expect.poll(() => released).toBe(3);
  await changes.seen();
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
