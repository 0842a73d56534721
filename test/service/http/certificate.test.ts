import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CertificateFiles, readCertificate } from '../../../src/service/http/certificate.ts';
import { type CertificateName, certificate } from '../../support/certificates.ts';
import { temporaryFolder } from '../support.ts';

const pem = (name: string) => resolve('test/support/certificates', `${name}.pem`);
const now = Date.parse('2026-06-01T00:00:00Z');

const folder = temporaryFolder();
const fileWith = (name: string, text: string | Buffer): string => {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};
const good = fileWith('good', readFileSync(pem('good')));
const damaged = ['PRIVATE KEY', 'CERTIFICATE']
  .map((what) => `-----BEGIN ${what}-----\nMIIB\n-----END ${what}-----\n`)
  .join('');
const read = (files: Partial<CertificateFiles>, host = 'vals.test') =>
  readCertificate({ cert: good, key: good, ...files }, host, now);

describe('files', () => {
  test('a good pair is accepted, also through a link', () => {
    symlinkSync(good, join(folder, 'link'));
    expect(read({}).warnings).toEqual([]);
    expect(read({ cert: join(folder, 'link'), key: join(folder, 'link') }, '127.0.0.1').warnings).toEqual([]);
  });

  test.each<[string, () => string, string]>([
    ['a missing file', () => join(folder, 'nothing'), 'does not exist'],
    ['a folder', () => folder, 'is a folder, not a regular file'],
    ['a device', () => '/dev/zero', 'is a device, not a regular file'],
    ['an empty file', () => fileWith('empty', ''), 'that can be used'],
    ['a text', () => fileWith('text', 'hello'), 'that can be used'],
    ['a damaged file', () => fileWith('damaged', damaged), 'that can be used'],
    ['a file of 2 MB', () => fileWith('long', '-'.repeat(2_000_000)), 'is larger than 1 MB'],
  ])('%s is refused, and the message names it', (_, file, problem) => {
    const path = file();
    for (const which of ['cert', 'key']) {
      const message = messageOf(() => read({ [which]: path }));
      expect(message).toContain(path);
      expect(message).toContain(problem);
    }
  });

  test('a certificate without a key, or with the key of another certificate, is refused', () => {
    expect(messageOf(() => read({ key: pem('authority') }))).toContain('contains no private key');
    const message = messageOf(() => read({ key: pem('expired') }));
    expect(message).toContain('does not belong to');
    expect(message).toContain(good);
    expect(message).toContain(pem('expired'));
  });

  test('a chain with a damaged certificate is refused', () => {
    const chain = fileWith('chain', `${certificate('good').cert}${damaged}`);
    expect(messageOf(() => read({ cert: chain }))).toMatch(`The certificate in ${chain} cannot be used: `);
  });

  test('a key with a passphrase is refused', () => {
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
    });
    expect(messageOf(() => read({ key: fileWith('locked', privateKey) }))).toContain(
      'contains no private key that can be used',
    );
  });

  test.runIf(process.getuid?.() !== 0)('a key that may not be read is refused', () => {
    const closed = fileWith('closed', 'x');
    chmodSync(closed, 0);
    expect(messageOf(() => read({ key: closed }))).toContain(
      'cannot be read, because you have no permission',
    );
  });

  test.each<[CertificateName, string]>([
    ['expired', 'expired on 2021-01-01'],
    ['not-yet-valid', 'is valid only from 2099-01-01'],
    ['other-host', 'is not for vals.test'],
  ])('a certificate that is %s gives a warning', (name, problem) => {
    const file = fileWith(name, readFileSync(pem(name)));
    const { warnings } = read({ cert: file, key: file });
    expect(warnings).toEqual([`The certificate in ${file} ${problem}. Clients will refuse the certificate.`]);
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'It was taken.';
}
