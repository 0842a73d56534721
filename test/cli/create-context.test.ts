// A command may connect more than once, and ends with none of its connections open.
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import * as routes from '../../src/api/routes.ts';
import { createContext } from '../../src/cli/create-context.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createOutput } from '../../src/terminal/output.ts';
import { environment, runProcess, temporaryFolder } from '../support/program.ts';
import { rawService } from '../support/raw-service.ts';

it('closes every connection that was made', async () => {
  const open = new Set<Socket>();
  const service = await rawService({
    connected: (socket) => void open.add(socket.on('close', () => open.delete(socket))),
    received: (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"id":"u"}'),
  });
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() }) as NodeJS.WriteStream;
  const home = temporaryFolder();
  const host = {
    argv: [],
    env: environment(home, service.env),
    cwd: home,
    stdin: () => process.stdin,
    stdout: stream,
    stderr: stream,
    signal: new AbortController().signal,
    clock: systemClock,
  };
  const { context, close } = createContext(host, {}, createOutput(host, []), () => {});
  for (let count = 0; count < 2; count++) await (await context.connect({})).record(routes.me());
  expect(open.size).toBe(2);
  await close();
  await expect.poll(() => open.size).toBe(0);
});

it('ends where a setting is refused behind --local', async () => {
  expect(await runProcess(['me', '--local'], { env: { VALS_TOKEN: 'a\nb' } })).toMatchObject({ exit: 2 });
});
