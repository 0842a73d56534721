import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isLong } from '../../support/cases.ts';
import { startProcess, temporaryFolder } from '../../support/program.ts';
import { errorIn, isGone, signals, startMoments } from '../../support/signals.ts';

async function refusal(baseUrl: string): Promise<string | undefined> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  try {
    return await new Promise((decided) => {
      socket.once('connect', () => decided(undefined));
      socket.once('error', (error: NodeJS.ErrnoException) => decided(error.code));
    });
  } finally {
    socket.destroy();
  }
}

it.each(signals)(
  '%s at any moment of serve leaves its address or no output, and a free port',
  async (signal) => {
    const cwd = temporaryFolder();
    let served = 0;
    for (const moment of [...(isLong ? startMoments : []), 'served']) {
      const args = ['serve', '--port', '0', '--json', '--data', join(cwd, 'vals.db')];
      const { child, ended } = startProcess(args, { cwd });
      if (typeof moment === 'object') await sleep(moment.ms);
      else await once(child.stdout as Readable, 'data');
      child.kill(signal);
      const end = await ended;
      const context = { moment, ...end };
      await expect.poll(() => isGone(child), { interval: 10 }).toBe(true);
      expect(end.stderr).not.toMatch(/\n\s+at |Unexpected/);
      if (end.signal !== null) {
        expect(context).toMatchObject({ signal, stdout: '', stderr: '' });
        continue;
      }
      expect(context).toMatchObject({ exit: signal === 'SIGTERM' ? 0 : 130 });
      if (signal === 'SIGINT') expect(errorIn(end.stderr)).toMatchObject({ kind: 'interrupted', exit: 130 });
      if (end.stdout === '') continue;
      served += 1;
      expect(end.stdout.split('\n')).toHaveLength(2);
      expect(await refusal(JSON.parse(end.stdout).baseUrl)).toBe('ECONNREFUSED');
    }
    expect(served).toBeGreaterThan(0);
  },
);
