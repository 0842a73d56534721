import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../../../src/api/http/client.ts';
import type { ProxyAddress } from '../../../src/api/http/proxy.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { listen } from '../../support/listen.ts';
import { tunnellingProxy } from '../../support/proxy.ts';
import { serviceFor } from '../../support/secure-service.ts';

// Node reads trusted authorities only when a process starts, so the tests in this file accept any certificate.
beforeEach(() => void vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0'));
afterEach(() => void vi.unstubAllEnvs());

const forged = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"forged":1}';

const roads = ['http:', 'https:'].flatMap((protocol) =>
  ['directly', 'a tunnel', 'a tunnel of a secure proxy'].map((road) => ({ protocol, road })),
);
const moments = ['in one piece with the answer', 'right behind the answer', 'as the next request is made'];
const cases = roads.flatMap((row) => moments.map((moment) => ({ ...row, moment })));

describe('an answer that arrives before its request is not used', () => {
  it.each(cases)('$protocol $road, $moment', async ({ protocol, road, moment }) => {
    const sockets: Socket[] = [];
    const onSocket = new Map<Socket, number>();
    const service = serviceFor(protocol, (request, response) => {
      const { socket } = request;
      if (!onSocket.has(socket)) sockets.push(socket);
      onSocket.set(socket, (onSocket.get(socket) ?? 0) + 1);
      const first = sockets.length === 1;
      request.resume().on('end', () => {
        const body = `{"connection":${sockets.length}}`;
        if (!first || moment === moments[2]) return response.end(body);
        const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
        if (moment === moments[0]) return socket.write(answer + forged);
        socket.write(answer);
        socket.write(forged);
      });
    });
    let connections = 0;
    let proxy: ProxyAddress | undefined;
    let origin = `${protocol}//vals.test`;
    if (road === 'directly') {
      origin = `${protocol}//127.0.0.1:${await listen(service)}`;
    } else {
      const secure = road.includes('secure');
      const { port } = await tunnellingProxy(service, secure);
      proxy = { url: new URL(`${secure ? 'https' : 'http'}://127.0.0.1:${port}`), variable: 'HTTPS_PROXY' };
    }
    service.on(protocol === 'https:' ? 'secureConnection' : 'connection', () => {
      connections += 1;
    });
    const client = createClient({
      baseUrl: { origin, href: origin },
      proxy,
      clock: systemClock,
      token: 'token',
      userAgent: 'test',
      concurrency: 1,
      deadlineMs: 10_000,
      signal: new AbortController().signal,
      trace() {},
      signInHint: '',
      redact: (text) => text,
    });
    onTestFinished(() => client.close());
    const ask = () => client.request({ method: 'POST', path: '/v1/vals', body: {} });

    expect(await ask()).toMatchObject({ body: { connection: 1 } });
    if (moment === moments[2]) (sockets[0] as Socket).write(forged);
    expect(await ask()).toMatchObject({ body: { connection: 2 } });
    expect([connections, [...onSocket.values()]]).toEqual([2, [1, 1]]);
    expect(await ask()).toMatchObject({ body: { connection: 2 } });
    expect(connections).toBe(2);
  });
});
