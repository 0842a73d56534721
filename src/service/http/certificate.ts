import { createSecureContext } from 'node:tls';
import { LocalError } from '../../core/errors.ts';
import { fileError } from '../../core/files/files.ts';
import { readPlainFile } from '../../core/lib/plain-file.ts';

export interface CertificateFiles {
  cert: string;
  key: string;
}

export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

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
