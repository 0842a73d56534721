import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  folderOfVals,
  runQuickly as run,
  runProcess,
  temporaryFolder,
  valNames,
} from '../../support/program.ts';
import { rawService } from '../../support/raw-service.ts';
import { scriptedService } from '../../support/scripted-service.ts';

function nodeOptionsThatResolveTo(addresses: { address: string; family: number }[]): string {
  const file = join(temporaryFolder(), 'lookup.cjs');
  writeFileSync(
    file,
    `const dns = require('node:dns');
     const real = dns.lookup;
     dns.lookup = (host, options, callback) =>
       host.endsWith('.test')
         ? process.nextTick(callback, null, ${JSON.stringify(addresses)})
         : real(host, options, callback);`,
  );
  return `--require ${file}`;
}

const alive = { address: '127.0.0.1', family: 4 };

const dead = { address: '::1', family: 6 };

describe('a host on whose first address nothing listens', () => {
  it('is reached at another address', async () => {
    const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
    const service = await scriptedService([{ body: { id } }]);
    const { exit, stderr } = await runProcess(['version', 'new', id, '--allow-http', '--json'], {
      input: 'code',
      env: {
        VALS_TOKEN: service.env.VALS_TOKEN,
        VALS_BASE_URL: service.baseUrl.replace('127.0.0.1', 'vals.test'),
        NODE_OPTIONS: nodeOptionsThatResolveTo([dead, alive]),
      },
    });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(service.requests).toHaveLength(1);
  });
});

describe('a service that closes each connection right after its answer', () => {
  const closingService = async (body: string) => {
    let requests = 0;
    const { env } = await rawService({
      received(socket) {
        requests += 1;
        const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
        socket.end(`${head}\r\n\r\n${body}`);
      },
    });
    return { env, requests: () => requests };
  };

  it('does not break the next request', async () => {
    const files = 40;
    const cwd = folderOfVals(valNames(files), () => 'code');
    const service = await closingService('{}');
    const { exit } = await run(['push', '.', '--concurrency', '4'], { env: service.env, cwd });
    expect(exit).toBe(0);
    expect(service.requests()).toBe(files);
  });

  it('does not make the outcome of a write after a read unknown', async () => {
    const { env } = await closingService('{"code":"export default 1"}');
    const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
    for (let turn = 0; turn < 20; turn++) {
      expect(await run(['version', 'restore', id, '1'], { env })).toMatchObject({ exit: 0 });
    }
  });
});
