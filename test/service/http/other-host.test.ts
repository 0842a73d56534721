import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startService } from '../../../src/service/index.ts';
import { run, temporaryFolder } from '../../support/program.ts';

it('if a proxy passes on another Host, the error names the Host that the service expects', async () => {
  const publicUrl = new URL('http://localhost:8443');
  const network = { host: '127.0.0.1', publicUrl };
  const { port, close } = await startService({ file: join(temporaryFolder(), 'vals.db'), port: 0, network });
  onTestFinished(close);
  const env = { VALS_BASE_URL: `http://127.0.0.1:${port}`, VALS_TOKEN: 'token' };
  const { exit, error } = await run(['me', '--json'], { env });
  expect(exit).toBe(4);
  expect(error).toMatchObject({
    message: `The service rejected the address: it expects http://localhost:8443, but the request has the Host 127.0.0.1:${port}.`,
    hint: expect.stringContaining('$http_host'),
  });
});
