import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const folder = 'test/support/certificates';

export type CertificateName = 'good' | 'expired' | 'other-host' | 'self-signed';

export function certificate(name: CertificateName): { key: Buffer; cert: Buffer } {
  const pem = readFileSync(`${folder}/${name}.pem`);
  return { key: pem, cert: pem };
}

export const trusting = { NODE_EXTRA_CA_CERTS: resolve(folder, 'authority.pem') };
