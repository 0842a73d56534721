import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';

type ServiceEnv = {
  VALS_BASE_URL: string;
  VALS_TOKEN: string;
};

/** The same service under a name that others can reach: vals.json has no ids of services on loopback. */
export async function reachable(
  env: ServiceEnv,
  name = 'vals.test',
): Promise<ServiceEnv & { HTTP_PROXY: string; VALS_ALLOW_HTTP: string }> {
  const { port, pathname } = new URL(env.VALS_BASE_URL);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const service = connect(Number(port), '127.0.0.1');
    for (const socket of [client, service]) sockets.add(socket.on('error', () => {}));
    client.once('data', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(service).pipe(client);
    });
  });
  const proxyPort = await listen(proxy);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return {
    ...env,
    VALS_BASE_URL: `http://${name}${pathname === '/' ? '' : pathname}`,
    HTTP_PROXY: `http://127.0.0.1:${proxyPort}`,
    VALS_ALLOW_HTTP: '1',
  };
}
