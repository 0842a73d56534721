import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Ended, folderOf, startProcess, untilIdle } from './support/program.ts';
import { type Seen, scriptedService } from './support/scripted-service.ts';
import { withResolvers } from './support/with-resolvers.ts';

const soonMs = 5_000;

async function soon(ended: Promise<Ended>): Promise<unknown> {
  const end = ended.then(({ exit, signal }) => signal ?? exit);
  return Promise.race([end, sleep(soonMs, 'still there', { ref: false })]);
}

type Signal = 'SIGINT' | 'SIGTERM';

const endings = { SIGINT: ['SIGINT', 130], SIGTERM: ['SIGTERM', 143] };

const endless = ({ path }: Seen) => {
  const offset = Number(new URL(path, 'http://service').searchParams.get('offset'));
  const data = Array.from({ length: 100 }, (_, index) => ({
    id: `r${offset + index}`,
    error: 'x'.repeat(200),
  }));
  return { body: { data, links: { next: `?offset=${offset + 100}` } } };
};

describe('the first signal ends the program', () => {
  it.each<{ signal: Signal; what: string; args: string[]; unread: 'stdout' | 'stderr'; says?: string }>([
    {
      signal: 'SIGINT',
      what: 'stdout in the midst of a list',
      args: ['runs', '--all', '--ndjson'],
      unread: 'stdout',
      says: '"interrupted"',
    },
    {
      signal: 'SIGTERM',
      what: 'stdout at the end of a list',
      args: ['runs', '--limit', '2000', '--json'],
      unread: 'stdout',
    },
    {
      signal: 'SIGINT',
      what: 'stderr',
      args: ['runs', '--all', '--debug', '--ndjson'],
      unread: 'stderr',
    },
  ])('$signal, while nobody reads $what', async ({ signal, args, unread, says = '' }) => {
    const { promise: asked, resolve: manyAsked } = withResolvers();
    const service = await scriptedService([], (seen) => {
      if (service.requests.length === (unread === 'stderr' ? 40 : 1)) manyAsked();
      return endless(seen);
    });
    const env = { ...service.env, VALS_BASE_URL: `${service.baseUrl}/${'x'.repeat(5_000)}` };
    const { child, ended } = startProcess(args, { env }, unread);
    await asked;
    if (unread !== 'stderr') await untilIdle(child.pid as number);
    child.kill(signal);
    expect(endings[signal]).toContain(await soon(ended));
    expect((await ended).stderr).toContain(says);
  });
});

it('a program that waits for something that never happens fails', async () => {
  const service = await scriptedService([{ body: { id: 'u' }, headers: { connection: 'close' } }]);
  const folder = folderOf({ 'never.cjs': 'globalThis.setImmediate = () => {};' });
  const { ended } = startProcess(['me'], {
    cwd: folder,
    env: { ...service.env, NODE_OPTIONS: '--require ./never.cjs' },
  });
  const { exit, stdout, stderr } = await ended;
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
  expect(stderr).toContain('waits for something that never happens');
});
