import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { TlsOptions } from 'node:tls';
import { type CertificateName, certificate } from './certificates.ts';
import { listen } from './listen.ts';
import { testToken } from './scripted-service.ts';

export interface SecureService {
  port: number;
  connections(): number;
  requests(): number;
  env: { VALS_BASE_URL: string; VALS_TOKEN: string };
}

export async function secureService(
  name: CertificateName,
  options: TlsOptions = {},
  answer: RequestListener = (_request, response) => response.end('{"id":"u1"}'),
): Promise<SecureService> {
  let [connections, requests] = [0, 0];
  const server = createSecureServer({ ...certificate(name), ...options }, (request, response) => {
    requests += 1;
    answer(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listen(server);
  const VALS_BASE_URL = `https://127.0.0.1:${port}`;
  return {
    port,
    connections: () => connections,
    requests: () => requests,
    env: { VALS_BASE_URL, VALS_TOKEN: testToken },
  };
}

export const serviceFor = (protocol: string, answer: RequestListener) =>
  protocol === 'https:' ? createSecureServer(certificate('good'), answer) : createServer(answer);
