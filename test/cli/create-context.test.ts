import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import * as routes from '../../src/api/routes.ts';
import { createContext } from '../../src/cli/create-context.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createHintWriter } from '../../src/lib/hint.ts';
import { createOutput } from '../../src/terminal/output.ts';
import { environment, runProcess, temporaryFolder } from '../support/program.ts';
import { rawService } from '../support/raw-service.ts';

it('closing a context ends a request under way, and all connections', async () => {
  let answersLeft = 1;
  const open = new Set<Socket>();
  const service = await rawService({
    connected: (socket) => void open.add(socket.on('close', () => open.delete(socket))),
    received(socket) {
      if (answersLeft-- > 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"id":"u"}');
    },
  });
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() }) as NodeJS.WriteStream;
  const home = temporaryFolder();
  const host = {
    argv: [],
    env: environment(home, service.env),
    cwd: home,
    system: process,
    stdin: () => process.stdin,
    stdout: stream,
    stderr: stream,
    signal: new AbortController().signal,
    clock: systemClock,
    node: { path: process.execPath, version: process.versions.node },
  };
  const { context, close } = createContext(
    host,
    {},
    createOutput(
      host,
      {},
      createHintWriter(({ text }) => text),
    ),
    async () => {},
  );
  const me = async () => (await context.connect({})).record(routes.me());
  await me();
  const unanswered = me();
  await expect.poll(() => answersLeft).toBe(-1);
  expect(open.size).toBe(2);
  await Promise.all([close(), expect(unanswered).rejects.toThrow()]);
  await expect.poll(() => open.size).toBe(0);
});

it('a refused setting ends a command with --local, and ends its embedded service', async () => {
  expect(await runProcess(['me', '--local'], { env: { VALS_TOKEN: 'a\nb' } })).toMatchObject({ exit: 2 });
});
