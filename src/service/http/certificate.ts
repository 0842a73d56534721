import { createSecureContext } from 'node:tls';
import { LocalError } from '../../errors.ts';
import { fileError } from '../../file-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { readPlainFile } from '../../lib/plain-file.ts';

export interface CertificateFiles {
  cert: string;
  key: string;
}

export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

const checkEveryMs = 60_000;

export function readCertificate(files: CertificateFiles): Certificate {
  const certificate = { cert: read(files.cert), key: read(files.key) };
  try {
    createSecureContext(certificate);
  } catch (cause) {
    const { reason, message } = cause as { reason?: string; message: string };
    const which = `The certificate in ${files.cert} and the key in ${files.key}`;
    throw new LocalError(`${which} cannot be used: ${reason ?? message}.`, {
      hint: 'Both must be in PEM format: the certificate of the service first, then its intermediate certificates; and the private key of that certificate, without a passphrase.',
      cause,
    });
  }
  return certificate;
}

function read(file: string): Buffer {
  try {
    return readPlainFile(file, { followLinks: true });
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Looks for a renewed certificate every minute. Reports each problem once, and keeps the previous certificate. */
export function watchCertificate(
  files: CertificateFiles,
  clock: Clock,
  { onRenewed, onProblem }: { onRenewed(certificate: Certificate): void; onProblem(message: string): void },
): () => void {
  let current = readCertificate(files);
  let reported = '';
  let cancel = () => {};
  const look = () => {
    try {
      const found = readCertificate(files);
      const isSame = found.cert.equals(current.cert) && found.key.equals(current.key);
      if (!isSame) onRenewed(found);
      current = found;
      reported = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== reported) onProblem(message);
      reported = message;
    }
    cancel = clock.after(checkEveryMs, look);
  };
  cancel = clock.after(checkEveryMs, look);
  return () => cancel();
}
