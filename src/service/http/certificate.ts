import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { LocalError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { fileError } from '../../lib/file-error.ts';
import { largest, readPlainFile } from '../../lib/plain-file.ts';
import { errnoOf } from '../../lib/system.ts';

export interface CertificateFiles {
  cert: string;
  key: string;
}

export interface Certificate {
  cert: Buffer;
  key: Buffer;
  warnings: string[];
}

const checkEveryMs = 60_000;

export function readCertificate(files: CertificateFiles, hostname: string, now: number): Certificate {
  const cert = read(files.cert);
  const key = read(files.key);
  const certificate = parseCertificate(files.cert, cert);
  const privateKey = parseKey(files.key, key);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new LocalError(`The key in ${files.key} does not belong to the certificate in ${files.cert}.`, {
      hint: 'Use the key that belongs to the certificate. In a file with several certificates, the certificate of the service must be the first.',
    });
  }
  try {
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key });
  } catch (cause) {
    const { reason, message } = cause as { reason?: string; message: string };
    throw new LocalError(`The certificate in ${files.cert} cannot be used: ${reason ?? message}.`, {
      hint: 'Get a certificate with a key of at least 2048 bits, and add its intermediate certificates at the end of the file.',
      cause,
    });
  }
  return { cert, key, warnings: warningsOf(files, certificate, hostname, now) };
}

function read(file: string): Buffer {
  try {
    return readPlainFile(file, { mostBytes: largest.certificate, followLinks: true });
  } catch (error) {
    throw fileError(file, error);
  }
}

function parseCertificate(file: string, bytes: Buffer): X509Certificate {
  if (!bytes.includes('-----BEGIN CERTIFICATE-----')) {
    throw new LocalError(`${file} contains no certificate in PEM format.`, {
      hint: 'The file must contain the line -----BEGIN CERTIFICATE-----.',
    });
  }
  try {
    return new X509Certificate(bytes);
  } catch (cause) {
    throw new LocalError(`The certificate in ${file} cannot be read.`, {
      hint: 'The file may be incomplete or damaged. Copy it again.',
      cause,
    });
  }
}

function parseKey(file: string, bytes: Buffer): KeyObject {
  if (!/-----BEGIN (?:\w+ )*PRIVATE KEY-----/.test(bytes.toString('latin1'))) {
    throw new LocalError(`${file} contains no private key in PEM format.`, {
      hint: 'The file must contain the line -----BEGIN PRIVATE KEY-----.',
    });
  }
  try {
    return createPrivateKey(bytes);
  } catch (cause) {
    const isLocked = bytes.includes('ENCRYPTED');
    throw new LocalError(
      `The key in ${file} ${isLocked ? 'is locked with a passphrase' : 'cannot be read'}.`,
      {
        hint: isLocked
          ? 'Remove the passphrase: `openssl pkey -in <key> -out <new-key>`.'
          : 'The file may be incomplete or damaged. Copy it again.',
        cause,
      },
    );
  }
}

function warningsOf(
  files: CertificateFiles,
  certificate: X509Certificate,
  hostname: string,
  now: number,
): string[] {
  const { validFrom, validTo } = certificate;
  const covers = isIP(hostname) ? certificate.checkIP(hostname) : certificate.checkHost(hostname);
  const expired = Date.parse(validTo) <= now && `expired on ${day(validTo)}`;
  const early = Date.parse(validFrom) > now && `is valid only from ${day(validFrom)}`;
  return [
    ...[expired, early, covers === undefined && `is not for ${hostname}`]
      .filter((problem) => problem !== false)
      .map((problem) => `The certificate in ${files.cert} ${problem}. Clients will refuse the certificate.`),
    ...(isOpenToOthers(files.key)
      ? [
          `Other users of this machine can read the key in ${files.key}. Make the file readable for you alone.`,
        ]
      : []),
  ];
}

const day = (text: string): string => new Date(text).toISOString().slice(0, 10);

const isOpenToOthers = (file: string): boolean =>
  process.platform !== 'win32' && (statSync(file).mode & 0o004) !== 0;

export function watchCertificate(
  { cert, key }: CertificateFiles,
  clock: Clock,
  onChange: () => void,
): () => void {
  const look = () => [cert, key].map(stampOf).join(' ');
  let seen = look();
  let cancel = () => {};
  const later = () => {
    cancel = clock.after(checkEveryMs, () => {
      const now = look();
      if (now !== seen) onChange();
      seen = now;
      later();
    });
  };
  later();
  return () => cancel();
}

function stampOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino}-${size}-${mtimeMs}-${ctimeMs}`;
  } catch (error) {
    return `${errnoOf(error)}`;
  }
}
