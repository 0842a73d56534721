import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { statusIn, temporaryService } from '../support.ts';

const service = await temporaryService();
const head = (line: string, ...more: string[]) =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${service.port}`, ...more, '', ''].join('\r\n');
const signed = `Authorization: Bearer ${service.token}`;
const json = 'Content-Type: application/json';
const me = head('GET /v1/me', signed);

async function openConnection() {
  const socket = connect(service.port, '127.0.0.1').setNoDelay();
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function nextAnswer(socket: Socket): Promise<number> {
  let text = '';
  for (;;) {
    const [chunk] = await once(socket, 'data');
    text += chunk;
    const [, size] = /\r\nContent-Length: (\d+)\r\n/i.exec(text) ?? [];
    const end = text.indexOf('\r\n\r\n');
    if (end > 0 && text.length - end - 4 >= Number(size ?? 0)) return statusIn(text);
  }
}

test.each<[number, string, string[]]>([
  [401, 'POST /v1/vals', ['Authorization: Bearer wrong', json]],
  [404, 'POST /v1/nothing', [signed, json]],
  [413, 'POST /v1/vals', [signed, json]],
])('a connection takes the next request after the status %i', async (status, line, headers) => {
  const size = status === 413 ? 2 * 1024 * 1024 + 1 : 40_000;
  const body = Buffer.alloc(size, ' ');
  const socket = await openConnection();
  for (const sentFirst of [0, 20_000, size, 0, 20_000, size]) {
    const answered = nextAnswer(socket);
    socket.write(head(line, ...headers, `Content-Length: ${size}`));
    socket.write(body.subarray(0, sentFirst));
    const early = await answered;
    const next = nextAnswer(socket);
    socket.write(body.subarray(sentFirst));
    socket.write(me);
    expect([early, await next]).toEqual([status, 200]);
  }
});

const pem = (name: string) => resolve('test/support/certificates', `${name}.pem`);

test('a service with TLS answers all large requests that a client sends one after another', async () => {
  const network = { host: '127.0.0.1', publicUrl: new URL('https://vals.test') };
  const certificate = { cert: pem('good'), key: pem('good') };
  const { port, token } = await temporaryService({ network: { ...network, certificate } });
  // The client runs in its own process, so that a request can arrive while the service still writes an answer.
  const client = `import { Agent, request } from "node:https";
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const headers = { Host: "vals.test", Authorization: "Bearer ${token}", "Content-Type": "application/json" };
const address = { host: "127.0.0.1", port: ${port}, servername: "vals.test", method: "PUT", path: "/v1/vals", headers, agent };
const send = (body) => new Promise((done) => {
  const answer = (response) => response.resume().on("end", () => done(response.statusCode));
  request(address, answer).on("error", ({ code }) => done(code)).end(JSON.stringify(body));
});
const counts = {};
for (let count = 0; count < 60; count++) {
  const status = await send({ name: "large", code: "x".repeat(20_000) });
  counts[status] = (counts[status] ?? 0) + 1;
}
console.log(JSON.stringify(counts));
agent.destroy();`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', client], {
    env: { NODE_EXTRA_CA_CERTS: pem('authority') },
  });
  expect(JSON.parse(stdout)).toEqual({ 201: 1, 200: 59 });
});
