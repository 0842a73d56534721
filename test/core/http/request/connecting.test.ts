import { expect, it } from 'vitest';
import { folderOf, runQuickly as run, runProcess } from '../../../support/program.ts';
import { rawService } from '../../../support/raw-service.ts';
import { scriptedService } from '../../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

const lookup = `const dns = require('node:dns');
  const real = dns.lookup;
  const addresses = [{ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 }];
  dns.lookup = (host, options, callback) =>
    host === 'vals.test' ? process.nextTick(callback, null, addresses) : real(host, options, callback);`;

it('a host on whose first address nothing listens is reached at another address', async () => {
  const service = await scriptedService([{ body: { id } }]);
  const cwd = folderOf({ 'lookup.cjs': lookup });
  const env = {
    VALS_TOKEN: service.env.VALS_TOKEN,
    VALS_BASE_URL: service.baseUrl.replace('127.0.0.1', 'vals.test'),
    NODE_OPTIONS: '--require ./lookup.cjs',
  };
  const args = ['version', 'new', id, '--allow-http', '--json'];
  expect(await runProcess(args, { input: 'code', env, cwd })).toMatchObject({ exit: 0, stderr: '' });
  expect(service.requests).toHaveLength(1);
});

it('a service that closes each connection after its answer breaks no write after a read', async () => {
  const body = '{"code":"export default 1"}';
  let requests = 0;
  const { env } = await rawService({
    received(socket) {
      requests += 1;
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    },
  });
  for (let turn = 0; turn < 8; turn++) {
    expect(await run(['version', 'restore', id, '1'], { env })).toMatchObject({ exit: 0 });
  }
  expect(requests).toBe(16);
});
