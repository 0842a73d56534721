import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/program.ts';
import { temporaryService } from '../support.ts';

const pem = (name: string) => resolve('test/support/certificates', `${name}.pem`);

const overTls = (cert: string, key: string) => {
  const publicUrl = new URL('https://vals.test');
  return temporaryService({ network: { host: '127.0.0.1', publicUrl, certificate: { cert, key } } });
};

test('a text as a certificate and the key of another one are refused, and the message names both files', async () => {
  const text = join(temporaryFolder(), 'text.pem');
  writeFileSync(text, 'hello');
  for (const [cert, key] of [
    [text, pem('good')],
    [pem('good'), pem('expired')],
  ] as const) {
    const problem = `The certificate in ${cert} and the key in ${key} cannot be used: `;
    await expect(overTls(cert, key)).rejects.toThrow(problem);
  }
});

test('a service with TLS answers all large requests that a client sends one after another', async () => {
  const service = await overTls(pem('good'), pem('good'));
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
