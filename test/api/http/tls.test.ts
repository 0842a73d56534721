import { connect, createServer } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { forEachAtMost } from '../../support/cases.ts';
import { type CertificateName, trusting } from '../../support/certificates.ts';
import { listen } from '../../support/listen.ts';
import { runQuickly as run, runProcess } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { secureService } from '../../support/secure-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const commands = [['me'], ['version', 'new', id], ['val', 'rm', id, '--yes']];

async function expectRejected(
  env: Record<string, string>,
  message: string | RegExp,
  args: string[],
  hint = /./,
) {
  const options = { env, input: 'code' };
  // Node reads NODE_EXTRA_CA_CERTS only when a process starts, so `run` would ignore the file.
  const result = await (env.NODE_EXTRA_CA_CERTS ? runProcess : run)([...args, '--json', '--debug'], options);
  expect({ exit: result.exit, message: result.error?.message }).toEqual({
    exit: 7,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
  expect(result.error).toMatchObject({ kind: 'unavailable', hint: expect.stringMatching(hint) });
  expect(result.stderr).not.toMatch(/openssl|routines|altname|:error:|deps\//i);
  expect(result.stderr.match(/^> /gm)).toHaveLength(1);
}

describe('a secure service', () => {
  it('is reached', async () => {
    const service = await secureService('good');
    expect(await runProcess(['me'], { env: { ...service.env, ...trusting } })).toMatchObject({
      exit: 0,
      stderr: '',
    });
  });

  const cases: {
    name: CertificateName;
    says: RegExp;
    hint?: RegExp;
    options?: TlsOptions;
    env?: Record<string, string>;
  }[] = [
    { name: 'expired', says: /^The certificate of the service at https:\/\/127\.0\.0\.1:\d+ has expired\.$/ },
    {
      name: 'not-yet-valid',
      says: /^The certificate of the service at \S+ is not valid yet\.$/,
      hint: /clock/,
    },
    {
      name: 'other-host',
      says: /^The certificate of the service at \S+ is for another host\.$/,
    },
    {
      name: 'self-signed',
      says: /^The certificate of the service at \S+ is self-signed, so this machine does not trust it\.$/,
      hint: /NODE_EXTRA_CA_CERTS/,
    },
    {
      name: 'good',
      says: /^The certificate of the service at \S+ comes from an authority that this machine does not know\.$/,
      hint: /NODE_EXTRA_CA_CERTS/,
      env: {},
    },
    {
      name: 'good',
      says: /^The service at https:\S+ speaks only versions of TLS that are no longer safe\.$/,
      options: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    },
    {
      name: 'good',
      says: /^The secure connection to the service at https:\S+ failed \(ERR_SSL_[\w/]+\)\.$/,
      options: { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
    },
  ];
  it('with an untrusted certificate gets no request, and the client does not try again', async () => {
    await forEachAtMost(4, cases, async ({ name, says, hint, options, env = trusting }, index) => {
      const args = commands[index % commands.length] ?? [];
      const service = await secureService(name, options);
      await expectRejected({ ...service.env, ...env }, says, args, hint);
      expect([service.connections(), service.requests()]).toEqual([1, 0]);
    });
  }, 60_000);
});

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
  const { exit } = await runProcess(['version', 'new', id], { env, input: 'code' });
  expect({ exit, requests: service.requests() }).toEqual({ exit: 8, requests: 1 });
});

it('a port that expects http is reported', async () => {
  const service = await scriptedService([]);
  const env = { ...service.env, VALS_BASE_URL: service.baseUrl.replace('http:', 'https:') };
  await expectRejected(env, /^The service at https:\S+ expects http, not https\.$/, ['me']);
});
