import { connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { certificate } from './certificates.ts';
import { listen } from './listen.ts';

interface TestProxy {
  port: number;
  /** The first bytes of each connection. */
  asked: string[];
}

/** Every tunnel leads to this port. */
export async function tunnellingProxy(servicePort: number, secure = false): Promise<TestProxy> {
  const asked: string[] = [];
  const accept = (client: Socket) => {
    const service = connect(servicePort, '127.0.0.1');
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      socket.on('error', () => {}).on('close', () => other.destroy());
    }
    client.once('data', (bytes) => {
      asked.push(bytes.toString('latin1'));
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(service).pipe(client);
    });
  };
  const server = secure ? createTlsServer(certificate('good'), accept) : createServer(accept);
  return { port: await listen(server), asked };
}

interface ServiceEnv {
  VALS_BASE_URL: string;
  VALS_TOKEN: string;
}

/** The same service under a name that others can reach: vals.json lists no services on loopback. */
export async function reachable(
  env: ServiceEnv,
  name = 'vals.test',
): Promise<ServiceEnv & { HTTP_PROXY: string; VALS_ALLOW_HTTP: string }> {
  const { port, pathname } = new URL(env.VALS_BASE_URL);
  const proxy = await tunnellingProxy(Number(port));
  return {
    ...env,
    VALS_BASE_URL: `http://${name}${pathname === '/' ? '' : pathname}`,
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    VALS_ALLOW_HTTP: '1',
  };
}
