import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { temporaryService } from '../support.ts';

const pem = (name: string) => resolve('test/support/certificates', `${name}.pem`);

test('a service with TLS answers all large requests that a client sends one after another', async () => {
  const network = { host: '127.0.0.1', publicUrl: new URL('https://vals.test') };
  const certificate = { cert: pem('good'), key: pem('good') };
  const service = await temporaryService({ network: { ...network, certificate } });
  // The client runs in its own process, so that a request can arrive while the service still writes an answer.
  const client = `import { Agent, request } from "node:https";
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const headers = { Host: "vals.test", Authorization: "Bearer ${service.token}", "Content-Type": "application/json" };
const address = { host: "127.0.0.1", port: ${service.port}, servername: "vals.test", method: "PUT", path: "/v1/vals", headers, agent };
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
