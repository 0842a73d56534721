import { createPrivateKey, X509Certificate } from 'node:crypto';
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
  const certificate = parse(files.cert, 'certificate', () => new X509Certificate(cert));
  const privateKey = parse(files.key, 'private key', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new LocalError(`The key in ${files.key} does not belong to the certificate in ${files.cert}.`, {
      hint: 'Use the key that belongs to the certificate. In a file with several certificates, the certificate of the service must be the first.',
    });
  }
  try {
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key });
  } catch (cause) {
    throw new LocalError(`The certificate in ${files.cert} cannot be used: ${reasonOf(cause)}.`, {
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

function parse<Parsed>(file: string, kind: 'certificate' | 'private key', work: () => Parsed): Parsed {
  try {
    return work();
  } catch (cause) {
    throw new LocalError(`${file} contains no ${kind} that can be used: ${reasonOf(cause)}.`, {
      hint: `The file must contain a whole ${kind} in PEM format, without a passphrase.`,
      cause,
    });
  }
}

function reasonOf(error: unknown): string {
  const { reason, message } = error as { reason?: string; message: string };
  return reason ?? message;
}

function warningsOf(
  { cert }: CertificateFiles,
  certificate: X509Certificate,
  hostname: string,
  now: number,
): string[] {
  const { validFrom, validTo } = certificate;
  const covers = isIP(hostname) ? certificate.checkIP(hostname) : certificate.checkHost(hostname);
  const problems = [
    ...(Date.parse(validTo) <= now ? [`expired on ${day(validTo)}`] : []),
    ...(Date.parse(validFrom) > now ? [`is valid only from ${day(validFrom)}`] : []),
    ...(covers === undefined ? [`is not for ${hostname}`] : []),
  ];
  return problems.map(
    (problem) => `The certificate in ${cert} ${problem}. Clients will refuse the certificate.`,
  );
}

const day = (text: string): string => new Date(text).toISOString().slice(0, 10);

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
