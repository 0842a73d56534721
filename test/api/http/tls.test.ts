import type { TlsOptions } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { forEachAtMost, isLong } from '../../support/cases.ts';
import { type CertificateName, trusting } from '../../support/certificates.ts';
import { run, runProcess } from '../../support/program.ts';
import { rawService } from '../../support/raw-service.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { secureService } from '../../support/secure-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const commands = [['me'], ['version', 'new', id], ['val', 'rm', id, '--yes']];
const commandsOf = (turn: number) =>
  commands.filter((_, index) => isLong || index === turn % commands.length);
const major = Number(process.versions.node.split('.')[0]);

async function expectBarred(
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
    from?: number;
  }[] = [
    { name: 'expired', says: /^The certificate of the service at https:\/\/127\.0\.0\.1:\d+ has expired\.$/ },
    {
      name: 'not-yet-valid',
      says: /^The certificate of the service at \S+ is not valid yet\.$/,
      hint: /clock/,
    },
    {
      name: 'other-host',
      says: /^The certificate of the service at \S+ is for another host, other\.example and 1 more\.$/,
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
      name: 'weak-key',
      says: /^The certificate of the service at \S+ has a key or a signature that is too weak\.$/,
      options: { ciphers: 'DEFAULT@SECLEVEL=0' },
      from: 24,
    },
    {
      name: 'good',
      says: /^The service at https:\S+ speaks only versions of TLS that are no longer safe\.$/,
      options: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    },
    {
      name: 'good',
      says: /^The service at https:\S+ refused the secure connection\.$/,
      options: { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
    },
    {
      name: 'good',
      says: /^The service at https:\S+ does not speak HTTP\/1\.1\.$/,
      options: { ALPNProtocols: ['h2'] },
    },
  ];
  it('with an untrusted certificate gets no request, and the client does not try again', async () => {
    const all = cases
      .filter(({ from = 0 }) => major >= from)
      .flatMap((row, turn) => commandsOf(turn).map((args) => ({ ...row, args })));
    await forEachAtMost(4, all, async ({ name, says, hint, options, env = trusting, args }) => {
      const service = await secureService(name, options);
      await expectBarred({ ...service.env, ...env }, says, args, hint);
      expect([service.connections(), service.requests()]).toEqual([1, 0]);
    });
  }, 60_000);
});

describe('a port with another protocol', () => {
  it('is reported if https:// meets plain HTTP', async () => {
    const service = await scriptedService([]);
    const env = { ...service.env, VALS_BASE_URL: service.baseUrl.replace('http:', 'https:') };
    for (const args of commands)
      await expectBarred(env, /^The service at https:\S+ expects http, not https\.$/, args);
  });

  it('is suspected if http:// meets a TLS port that closes the connection', async () => {
    const service = await secureService('good');
    const baseUrl = service.env.VALS_BASE_URL.replace('https:', 'http:');
    const { exit, error } = await run(['me', '--json'], { env: { ...service.env, VALS_BASE_URL: baseUrl } });
    expect({ exit, hint: error?.hint }).toEqual({
      exit: 7,
      hint: `If the port expects https, use ${service.env.VALS_BASE_URL}.`,
    });
    expect(service.requests()).toBe(0);
  });

  const plainToTls = [
    { server: 'an alert of TLS', answer: '\x15\x03\x03\x00\x02\x02\x46' },
    ...[
      '<title>400 The plain HTTP request was sent to HTTPS port</title>',
      "Reason: You're speaking plain HTTP to an SSL-enabled server port.",
      'Client sent an HTTP request to an HTTPS server.\n',
      'Bad Request\r\nThis combination of host and port requires TLS.\r\n',
    ].map((text) => ({
      server: text,
      answer: `HTTP/1.1 400 Bad Request\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
    })),
  ];
  it.each(plainToTls)('is reported if http:// meets a TLS port that answers $server', async ({ answer }) => {
    for (const args of commands) {
      const service = await rawService({ received: (socket) => socket.end(answer, 'latin1') });
      await expectBarred(service.env, /^The service at http:\S+ expects https, not http\.$/, args);
      expect(service.connections()).toBe(1);
    }
  });
});
