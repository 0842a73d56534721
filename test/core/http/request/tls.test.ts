import { connect, createServer } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { expect, it } from 'vitest';
import { type CertificateName, trusting } from '../../../support/certificates.ts';
import { listen } from '../../../support/listen.ts';
import { runQuickly as run, runProcess } from '../../../support/program.ts';
import { rawService } from '../../../support/raw-service.ts';
import { scriptedService } from '../../../support/scripted-service.ts';
import { secureService } from '../../../support/secure-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const writing = ['version', 'new', id];

async function expectRejected(env: Record<string, string>, says: RegExp, hint = /./) {
  // Node reads NODE_EXTRA_CA_CERTS only when a process starts, so `run` would ignore the file.
  const vals = env.NODE_EXTRA_CA_CERTS ? runProcess : run;
  const { exit, error, stderr } = await vals([...writing, '--json', '--debug'], { env, input: 'code' });
  expect({ exit, error }).toMatchObject({
    exit: 7,
    error: { message: expect.stringMatching(says), hint: expect.stringMatching(hint) },
  });
  expect(error?.message).not.toMatch(/openssl|routines|:error:|deps\//i);
  expect(stderr.match(/^> /gm)).toHaveLength(1);
}

const oldTls: TlsOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };

it.each<[certificate: CertificateName, says: RegExp, hint?: RegExp, options?: TlsOptions, env?: object]>([
  ['expired', /^Could not connect to \S+: certificate has expired\.$/, /clock|running/],
  ['other-host', /: Hostname.IP does not match/, /./],
  ['self-signed', /: self.signed certificate/, /NODE_EXTRA_CA_CERTS/, {}, {}],
  ['good', /: unable to /, /NODE_EXTRA_CA_CERTS/, {}, {}],
  ['good', /the secure connection failed \(ERR_SSL_[\w/]+\)\.$/, /./, oldTls],
])(
  'a service with the certificate %s gets no request: %s',
  async (name, says, hint, options, env = trusting) => {
    const service = await secureService(name, options);
    await expectRejected({ ...service.env, ...env }, says, hint);
    expect([service.connections(), service.requests()]).toEqual([1, 0]);
  },
);

it('TLS that breaks after the request leaves the outcome of a write unknown', async () => {
  let breakTls = () => {};
  const service = await secureService('good', {}, () => breakTls());
  const server = createServer((socket) => {
    const inside = connect(service.port, '127.0.0.1');
    socket.on('error', () => {}).on('close', () => inside.destroy());
    inside.on('error', () => {});
    socket.pipe(inside).pipe(socket);
    breakTls = () => socket.write('This is not TLS.');
  });
  const env = { ...service.env, ...trusting, VALS_BASE_URL: `https://127.0.0.1:${await listen(server)}` };
  const { exit } = await runProcess(writing, { env, input: 'code' });
  expect({ exit, requests: service.requests() }).toEqual({ exit: 8, requests: 1 });
});

it('a port that expects http is reported', async () => {
  const service = await scriptedService([]);
  const env = { ...service.env, VALS_BASE_URL: service.baseUrl.replace('http:', 'https:') };
  await expectRejected(env, /secure connection failed/, /http:\/\/ or https:\/\//);
});

it('a port that expects TLS has read nothing of a request without it', async () => {
  const alert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]);
  const { env } = await rawService({ received: (socket) => socket.end(alert) });
  await expectRejected(env, /the reply is not HTTP/, /http:\/\/ or https:\/\//);
});
