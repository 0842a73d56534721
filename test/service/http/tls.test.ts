import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { connect } from 'node:tls';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type CertificateFiles,
  readCertificate,
  watchCertificate,
} from '../../../src/service/http/certificate.ts';
import { listen } from '../../../src/service/http/server.ts';
import { folderOfTestFile, temporaryService } from '../support.ts';

const pem = (name: string) => resolve('test/support/certificates', `${name}.pem`);
const authority = readFileSync(pem('authority'));

const folder = folderOfTestFile();
const fileWith = (name: string, text: string | Buffer): string => {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};
const good = fileWith('good', readFileSync(pem('good')));

const overTls = (files: CertificateFiles) =>
  temporaryService({
    network: {
      host: '127.0.0.1',
      publicUrl: new URL('https://vals.test'),
      certificate: files,
    },
  });

function speakTls(port: number, text: string, options: object = {}): Promise<string> {
  return new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'vals.test', ca: authority, ...options });
    let answer = '';
    socket.on('secureConnect', () => socket.write(text));
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', fail);
    socket.on('close', () => done(answer));
  });
}

const health = 'GET /healthz HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n';

test.each([
  ['a text as a certificate', { cert: fileWith('text', 'hello'), key: good }],
  ['the key of another certificate', { cert: good, key: pem('expired') }],
])('%s is refused, and the message names both files', async (_, files) => {
  const problem = `The certificate in ${files.cert} and the key in ${files.key} cannot be used: `;
  await expect(overTls(files)).rejects.toThrow(problem);
});

test('a certificate that was renewed is served, and one that cannot be used is reported', async () => {
  const files = {
    cert: fileWith('renewed', readFileSync(good)),
    key: fileWith('renewed-key', readFileSync(good)),
  };
  const answer = async (_: unknown, outgoing: ServerResponse) => {
    outgoing.end();
    return 'route';
  };
  const server = await listen(answer, { host: '127.0.0.1', port: 0, certificate: readCertificate(files) });
  const failures: Error[] = [];
  const stop = watchCertificate(files, {
    onRenewed: server.renewCertificate,
    onFailure: (error) => failures.push(error),
    everyMs: 20,
  });
  onTestFinished(async () => {
    stop();
    await server.close();
  });
  const served = () =>
    new Promise<string>((done, fail) => {
      const socket = connect({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        done(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      });
      socket.on('error', fail);
    });
  const before = await served();
  // The watch begins a moment later, so a single write may come before it.
  const failuresAfterWrite = () => {
    writeFileSync(files.key, `no key, ${failures.length}`);
    return failures.length;
  };
  await expect.poll(failuresAfterWrite).toBeGreaterThan(0);
  expect(await served()).toBe(before);
  for (const file of [files.cert, files.key]) writeFileSync(file, readFileSync(pem('other-host')));
  await expect.poll(served).not.toBe(before);
});

describe('a service with TLS', async () => {
  const service = await overTls({ cert: good, key: good });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('speaks %s', async (version) => {
    const answer = await speakTls(service.port, health, { minVersion: version, maxVersion: version });
    expect(answer).toContain('200 OK');
  });

  test('answers all large requests that a client sends one after another', async () => {
    // The client runs in its own process, so that a request can arrive while the service still writes an answer.
    const client = `import { Agent, request } from "node:https";
const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
const headers = { Host: "vals.test", Authorization: "Bearer ${service.token}", "Content-Type": "application/json" };
const send = (method, path, body) => new Promise((done) => {
  request({ host: "127.0.0.1", port: ${service.port}, method, path, headers, agent }, async (response) => {
    let text = "";
    for await (const chunk of response) text += chunk;
    done([response.statusCode, text]);
  }).on("error", ({ code }) => done([code])).end(JSON.stringify(body));
});
const { id, version } = JSON.parse((await send("PUT", "/v1/vals", { name: "large", code: "1" }))[1]);
const time = "2026-01-01T00:00:00Z";
const counts = {};
for (let count = 0; count < 60; count++) {
  const run = { version, runStartAt: time, runEndAt: time, error: "x".repeat(20_000) };
  const [status] = await send("POST", \`/v1/vals/\${id}/runs\`, run);
  counts[status] = (counts[status] ?? 0) + 1;
}
console.log(JSON.stringify(counts));
agent.destroy();`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', client]);
    expect(JSON.parse(stdout)).toEqual({ 201: 1, 200: 59 });
  });
});
