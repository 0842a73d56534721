import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { BlockList, connect as connectPlain, createServer, Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { connect, createSecureContext } from 'node:tls';
import { execa } from 'execa';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/lib/clock.ts';
import type { CertificateFiles } from '../../../src/service/http/certificate.ts';
import { createHandshakes } from '../../../src/service/http/handshakes.ts';
import type { BucketLimits } from '../../../src/service/http/rate-limit.ts';
import { listen } from '../../../src/service/http/server.ts';
import type { CertificateName } from '../../support/certificates.ts';
import { embeddedService } from '../../support/embedded-service.ts';
import { listen as listenOn } from '../../support/listen.ts';
import { speak, statusIn, temporaryFolder, temporaryService } from '../support.ts';

const pem = (name: string) => resolve('test/support/certificates', `${name}.pem`);
const authority = readFileSync(pem('authority'));
const now = Date.parse('2026-06-01T00:00:00Z');

const folder = temporaryFolder();
const fileWith = (name: string, text: string | Buffer): string => {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};
const good = fileWith('good', readFileSync(pem('good')));

const overTls = (files: CertificateFiles, more: object = {}) =>
  temporaryService({
    network: {
      host: '127.0.0.1',
      publicUrl: new URL('https://vals.test'),
      proxies: new BlockList(),
      certificate: files,
    },
    ...more,
  });

function speakTls(
  port: number,
  text: string,
  options: object = {},
): Promise<{ answer: string; serial: string }> {
  return new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'vals.test', ca: authority, ...options });
    let answer = '';
    let serial = '';
    socket.on('secureConnect', () => {
      serial = socket.getPeerCertificate().serialNumber;
      socket.write(text);
    });
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', fail);
    socket.on('close', () => done({ answer, serial }));
  });
}

/** Says hello to every request, with limits for every address. */
async function listenLimited(
  limits: { handshakes?: BucketLimits; smallRecords?: BucketLimits },
  onRequest = (_: IncomingMessage) => {},
) {
  const answer: RequestListener = (incoming, outgoing) => {
    onRequest(incoming);
    outgoing.end('hello');
  };
  const server = await listen(answer, {
    host: '127.0.0.1',
    port: 0,
    certificate: { cert: readFileSync(good), key: readFileSync(good) },
    isLimited: () => true,
    ...limits,
  });
  onTestFinished(server.close);
  return server;
}

const closed = (socket: Socket) =>
  new Promise((done) =>
    socket
      .on('error', () => {})
      .once('close', done)
      .resume(),
  );

const health = 'GET /healthz HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n';
const keptAlive = health.replace('Connection: close\r\n', '');

describe('a service with TLS', () => {
  let service: Awaited<ReturnType<typeof overTls>>;
  beforeAll(async () => {
    service = await overTls({ cert: good, key: good });
  });

  test('accepts only the host of its public URL, from any address', async () => {
    expect(service.baseUrl).toBe('https://vals.test');
    const get = async (host: string) => {
      const head = `Host: ${host}\r\nAuthorization: Bearer ${service.token}\r\nConnection: close`;
      return (await speakTls(service.port, `GET /v1/me HTTP/1.1\r\n${head}\r\n\r\n`)).answer;
    };
    const answer = await get('vals.test');
    expect(statusIn(answer)).toBe(200);
    expect(answer).toContain('"self":"https://vals.test/v1/me"');
    expect(statusIn(await get('VALS.test:443'))).toBe(200);
    for (const host of ['vals.test:80', 'vals.test.', 'localhost', `127.0.0.1:${service.port}`]) {
      expect(statusIn(await get(host))).toBe(403);
    }
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
for (let count = 0; count < 200; count++) {
  const run = { version, runStartAt: time, runEndAt: time, error: "x".repeat(20_000) };
  const [status] = await send("POST", \`/v1/vals/\${id}/runs\`, run);
  counts[status] = (counts[status] ?? 0) + 1;
}
console.log(JSON.stringify(counts));
agent.destroy();`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', client]);
    expect(JSON.parse(stdout)).toEqual({ 201: 200 });
  });

  test('does not offer TLS 1.3, because its key updates have no limit', async () => {
    const speakVersion = (version: string) =>
      speakTls(service.port, health, { minVersion: version, maxVersion: version });
    await expect(speakVersion('TLSv1.3')).rejects.toThrow(/protocol version/);
    expect((await speakVersion('TLSv1.2')).answer).toContain('200 OK');
  });

  test('ends the connection at a second handshake, and sends no alert that would let the caller go on', async () => {
    const socket = connect({ port: service.port, host: '127.0.0.1', servername: 'vals.test', ca: authority });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    socket.renegotiate({}, () => {});
    const end = await new Promise((done) => socket.once('error', done).once('close', done).resume());
    expect(String(end)).not.toMatch(/no renegotiation/);
    expect((await speakTls(service.port, health)).answer).toContain('200 OK');
  });

  test('accepts only ciphers that also protect from changes', async () => {
    const speakCipher = (ciphers: string) => speakTls(service.port, health, { ciphers });
    await expect(speakCipher('ECDHE-ECDSA-AES128-SHA256')).rejects.toThrow(/handshake failure/);
    expect((await speakCipher('ECDHE-ECDSA-AES128-GCM-SHA256')).answer).toContain('200 OK');
    expect((await speakCipher('ECDHE-ECDSA-CHACHA20-POLY1305')).answer).toContain('200 OK');
  });

  test.each(['X25519:P-256', 'P-256'])('accepts %s for the key exchange', async (ecdhCurve) => {
    expect((await speakTls(service.port, health, { ecdhCurve })).answer).toContain('200 OK');
  });

  const groupsOfClient = ['P-521', 'ffdhe2048', 'ffdhe3072', 'ffdhe8192'].filter((ecdhCurve) => {
    try {
      return createSecureContext({ ecdhCurve });
    } catch {
      return false;
    }
  });
  test.each(groupsOfClient)('refuses %s, because its key exchange takes long', async (ecdhCurve) => {
    await expect(speakTls(service.port, health, { ecdhCurve })).rejects.toThrow(/handshake failure/);
  });

  test('accepts nothing older than TLS 1.2, even if the flags of Node allow it', async () => {
    const args = ['--public-url', 'https://vals.test', '--tls-cert', good, '--tls-key', good];
    // Without SECLEVEL=0, OpenSSL itself would refuse TLS 1.1, and the test would not test the service.
    const env = { NODE_OPTIONS: '--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0' };
    const { logged } = await embeddedService({ args, env });
    const port = Number(/port (\d+)/.exec(await logged('answers only'))?.[1]);
    const speakOld = (maxVersion: string) =>
      speakTls(port, health, { minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' });
    await expect(speakOld('TLSv1.1')).rejects.toThrow(/protocol version/);
    expect((await speakOld('TLSv1.2')).answer).toContain('200 OK');
  });

  test('ends a connection that speaks plain HTTP or nonsense, and goes on', async () => {
    for (const text of [health, 'hello\r\n\r\n', Buffer.alloc(70_000, 0x16)]) {
      const answer = await speak(service.port, text).catch(({ code }) => code);
      expect(answer).not.toContain('HTTP');
    }
    expect((await speakTls(service.port, health)).answer).toContain('200 OK');
  });

  test('answers a request over TLS that is not HTTP, and ends the connection', async () => {
    const { answer } = await speakTls(service.port, 'hello\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json/s);
  });

  test('answers a caller who sends the next request as soon as an answer arrives', async () => {
    const caller = `
      const text = (index) => {
        const body = JSON.stringify({ name: 'again', code: 'v' + index });
        const head = ['PUT /v1/vals HTTP/1.1', 'Host: vals.test', 'Authorization: Bearer ${service.token}'];
        const ofBody = ['Content-Type: application/json', 'Content-Length: ' + body.length];
        return [...head, ...ofBody, '', body].join('\\r\\n');
      };
      const socket = require('node:tls').connect(${service.port}, '127.0.0.1', { rejectUnauthorized: false });
      const statuses = [];
      socket.on('secureConnect', () => socket.write(text(0))).on('data', (answer) => {
        statuses.push(String(answer).slice(9, 12));
        if (statuses.length < 100) return socket.write(text(statuses.length));
        socket.destroy();
        console.log([...new Set(statuses)].join());
      });`;
    expect((await execa('node', ['-e', caller])).stdout).toBe('201,200');
  });

  test('ends a handshake that is not finished', { timeout: 30_000 }, async () => {
    const start = performance.now();
    await closed(connectPlain(service.port, '127.0.0.1'));
    expect(performance.now() - start).toBeGreaterThan(5_000);
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  test.runIf(process.platform === 'linux')(
    'takes 200 connections from one address, and more from other addresses',
    async () => {
      const other = await overTls({ cert: good, key: good });
      const open = async (localAddress: string) => {
        const socket = connectPlain({ port: other.port, host: '127.0.0.1', localAddress });
        onTestFinished(() => void socket.destroy());
        const isClosed = closed(socket);
        await once(socket, 'connect');
        return { socket, isClosed };
      };
      const openWithHandshake = async () => {
        const address = { port: other.port, host: '127.0.0.1', localAddress: '127.0.0.3' };
        const socket = connect({ ...address, servername: 'vals.test', ca: authority });
        onTestFinished(() => void socket.destroy());
        const isClosed = closed(socket);
        await once(socket, 'secureConnect');
        return { socket, isClosed };
      };
      const held: Awaited<ReturnType<typeof openWithHandshake>>[] = [];
      for (let i = 0; i < 200; i++) held.push(await openWithHandshake());
      for (let i = 0; i < 20; i++) await (await open('127.0.0.3')).isClosed;
      expect((await speakTls(other.port, health)).answer).toContain('200 OK');
      expect(held.filter(({ socket }) => socket.closed)).toEqual([]);
      held[0]?.socket.destroy();
      await held[0]?.isClosed;
      const answered = () =>
        speakTls(other.port, health, { localAddress: '127.0.0.3' }).then(({ answer }) => answer);
      await expect.poll(() => answered().catch(() => '')).toContain('200 OK');
    },
  );

  test.runIf(process.platform === 'linux')(
    'begins a limited number of handshakes with one address, and more with other addresses',
    async () => {
      const limited = await listenLimited({
        handshakes: { perSecond: 0.001, burst: 3, inFlight: Number.POSITIVE_INFINITY },
      });
      const ask = (localAddress: string) => speakTls(limited.port, health, { localAddress });
      for (let i = 0; i < 3; i++) expect((await ask('127.0.0.3')).answer).toContain('hello');
      await expect(ask('127.0.0.3')).rejects.toThrow();
      expect((await ask('127.0.0.4')).answer).toContain('hello');
    },
  );

  test('has a limited number of handshakes under way with one address', async () => {
    const silent = Array.from({ length: 60 }, () => connectPlain({ port: service.port, host: '127.0.0.1' }));
    onTestFinished(() => {
      for (const socket of silent) socket.destroy();
    });
    let ended = 0;
    for (const socket of silent)
      socket
        .on('error', () => {})
        .on('close', () => ended++)
        .resume();
    await expect.poll(() => ended).toBe(20);
    for (const socket of silent) socket.destroy();
    await expect
      .poll(() => speakTls(service.port, health).then(({ answer }) => answer, String))
      .toContain('200 OK');
  });

  test('counts no handshake for ever if a connection uses the port of one that was reset and is not closed yet', async () => {
    const handshakes = createHandshakes({ perSecond: 1_000, inFlight: 2 });
    const mayBegin = (socket: Socket) => handshakes.mayBegin(socket, '127.0.0.3');
    // Sockets without a connection have the same endpoints.
    const [first, second] = [new Socket(), new Socket()];
    expect([first, second].map(mayBegin)).toEqual([true, true]);
    await once(first.destroy(), 'close');
    handshakes.end(second);
    expect([new Socket(), new Socket(), new Socket()].map(mayBegin)).toEqual([true, true, false]);
  });

  test('counts a handshake of many bytes as several', async () => {
    const limited = await listenLimited({
      handshakes: { perSecond: 0.001, burst: 10, inFlight: Number.POSITIVE_INFINITY },
    });
    const ask = () => speakTls(limited.port, health).then(({ answer }) => answer, String);
    expect(await ask()).toContain('hello');
    // The beginning of a ClientHello of 131,000 bytes, with each byte in a record of its own.
    const hello = Buffer.from([1, 1, 255, 184, 3, 3]);
    const records = [...hello, ...Buffer.alloc(10_000)].map((byte) => [22, 3, 3, 0, 1, byte]);
    const socket = connectPlain({ port: limited.port, host: '127.0.0.1' });
    socket.on('error', () => {}).end(Buffer.from(records.flat()));
    await closed(socket.resume());
    expect(await ask()).not.toContain('hello');
  });

  test('closes a connection if its address sends very many small records', async () => {
    const limited = await listenLimited({
      smallRecords: { perSecond: 0.001, burst: 100, inFlight: Number.POSITIVE_INFINITY },
    });
    const sendEachByte = async (text: string) => {
      const socket = connect({
        port: limited.port,
        host: '127.0.0.1',
        servername: 'vals.test',
        ca: authority,
      });
      let answer = '';
      socket
        .on('error', () => {})
        .on('data', (data) => {
          answer += data;
        });
      const isClosed = closed(socket);
      for (const byte of text) await new Promise((sent) => socket.write(byte, sent));
      await isClosed;
      return answer;
    };
    expect(await sendEachByte(health)).toContain('hello');
    expect(await sendEachByte(health.replace('\r\n', `\r\nX-Long: ${'x'.repeat(500)}\r\n`))).toBe('');
  });

  const sendEachCharacter = async (socket: Socket, text: string) => {
    for (const character of text) await new Promise((sent) => socket.write(character, sent));
  };

  test('decrypts few records of a connection that it has paused', async () => {
    let served: Socket | undefined;
    const limited = await listenLimited({}, ({ socket }) => {
      served = socket;
      socket.once('data', () => socket.pause());
    });
    const socket = connect({ port: limited.port, host: '127.0.0.1', rejectUnauthorized: false });
    onTestFinished(() => void socket.destroy());
    socket.write(keptAlive);
    await once(socket, 'data');
    socket.write(keptAlive);
    await sendEachCharacter(socket, 'a'.repeat(6_000));
    await expect.poll(() => served?.readableLength).toBeGreaterThan(0);
    expect(served?.readableLength).toBeLessThan(3_000);
  });

  test('closes a connection with more than 16 unanswered requests', async () => {
    const limited = await listenLimited({});
    const answers = (ahead: number) =>
      speakTls(limited.port, keptAlive.repeat(ahead) + health).then(({ answer }) => answer, String);
    expect((await answers(15)).match(/hello/g)).toHaveLength(16);
    expect(await answers(16)).not.toContain('hello');
  });

  test('does not read from an address for a second if it sends many requests ahead on several connections', async () => {
    const limited = await listenLimited({});
    const sockets = Array.from({ length: 8 }, () =>
      connect({ port: limited.port, host: '127.0.0.1', rejectUnauthorized: false }),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'secureConnect')));
    const start = performance.now();
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(800));
    await Promise.all(sockets.map(closed));
    expect(performance.now() - start).toBeGreaterThan(1_500);
  });

  test('closes a connection with a chunked body that was sent ahead', async () => {
    const limited = await listenLimited({});
    const chunked = health.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
    const ask = (text: string) => speakTls(limited.port, text).then(({ answer }) => answer, String);
    expect(await ask(chunked)).toContain('hello');
    expect(await ask(keptAlive + chunked)).not.toContain('HTTP/1.1');
  });

  test('answers a caller who sends many records that are not HTTP only once', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const limited = await listenLimited({});
    // Passes the records on all at once.
    const records: Buffer[] = [];
    let isHeld = false;
    let answer = '';
    const onward = connectPlain(limited.port, '127.0.0.1');
    const isClosed = closed(onward);
    const proxy = createServer((client) => {
      client.on('data', (data) => (isHeld ? records.push(data) : onward.write(data)));
      onward.pipe(client);
    });
    const port = await listenOn(proxy);
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('data', (data) => {
      answer += data;
    });
    await once(socket, 'secureConnect');
    isHeld = true;
    await sendEachCharacter(socket, '!'.repeat(100));
    await expect.poll(() => Buffer.concat(records).length).toBeGreaterThan(100 * 22);
    onward.write(Buffer.concat(records));
    await isClosed;
    expect(statusIn(answer)).toBe(400);
    // Node warns if one socket gets many listeners of the same kind.
    expect(warnings).toEqual([]);
  });

  test('does not read from an address for a second if it sends very many bytes, and loses none', async () => {
    const bytes = 60_000_000;
    const refused = `POST /nothing HTTP/1.1\r\nHost: vals.test\r\nContent-Length: ${bytes}\r\n\r\n`;
    const start = performance.now();
    const { answer } = await speakTls(service.port, `${refused}${' '.repeat(bytes)}${health}`);
    expect(performance.now() - start).toBeGreaterThan(2_000);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 415', 'HTTP/1.1 200']);
  });

  test('closes although a handshake is under way', { timeout: 30_000 }, async () => {
    const other = await overTls({ cert: good, key: good });
    const silent = connectPlain(other.port, '127.0.0.1');
    await once(silent, 'connect');
    await Promise.all([closed(silent), other.close()]);
  });

  test('serves a renewed certificate without a restart, and keeps the old one while the new one is bad', async () => {
    const ticks: (() => void)[] = [];
    const clock: Clock = {
      now: () => now,
      after(_ms, callback) {
        ticks.push(callback);
        return () => void ticks.splice(ticks.indexOf(callback), 1);
      },
    };
    const minute = () => ticks.shift()?.();
    const warnings: string[] = [];
    const place = (name: CertificateName | 'authority') => {
      writeFileSync(join(folder, 'next'), readFileSync(pem(name)), { mode: 0o600 });
      renameSync(join(folder, 'next'), live);
    };
    const live = join(folder, 'live');
    place('self-signed');
    const other = await overTls(
      { cert: live, key: live },
      { clock, onWarning: (text: string) => warnings.push(text) },
    );
    const serial = async () => (await speakTls(other.port, health, { rejectUnauthorized: false })).serial;
    const first = await serial();
    place('good');
    expect(await serial()).toBe(first);
    minute();
    const second = await serial();
    expect(second).not.toBe(first);
    expect(warnings).toEqual([]);
    await expect(speakTls(other.port, health, { ecdhCurve: 'P-521' })).rejects.toThrow(/handshake failure/);
    place('authority');
    minute();
    expect(await serial()).toBe(second);
    expect(warnings).toEqual([
      `${live} contains no private key in PEM format. The previous certificate is still in use.`,
    ]);
    minute();
    expect(warnings).toHaveLength(1);
    rmSync(live);
    symlinkSync(live, live);
    minute();
    expect(warnings).toHaveLength(2);
    place('self-signed');
    minute();
    expect(await serial()).toBe(first);
    await other.close();
    expect(ticks).toEqual([]);
  });
});
