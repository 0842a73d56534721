import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isLong } from '../../support/cases.ts';
import { listen } from '../../support/listen.ts';
import { ask, speak, type TemporaryService, temporaryService } from '../support.ts';

let service: TemporaryService;
beforeAll(async () => {
  service = await temporaryService();
});

const head = (line: string, ...more: string[]) =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${service.port}`, ...more, '', ''].join('\r\n');
const signed = () => `Authorization: Bearer ${service.token}`;
const me = () => head('GET /v1/me', signed());
const chunked = (name: string) =>
  head('PUT /v1/vals', signed(), 'Content-Type: application/json', 'Transfer-Encoding: chunked') +
  `1\r\n{\r\n16\r\n"name":"${name}","code":"c"}\r\n0\r\n\r\n`;
const json = 'Content-Type: application/json';
const statusesOf = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

async function openConnection() {
  const socket = connect(service.port, '127.0.0.1').setNoDelay();
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return { socket, answer: () => nextAnswer(socket) };
}

async function nextAnswer(socket: Socket): Promise<number> {
  let text = '';
  for (;;) {
    const [chunk] = await once(socket, 'data');
    text += chunk;
    const [, size] = /\r\nContent-Length: (\d+)\r\n/i.exec(text) ?? [];
    const end = text.indexOf('\r\n\r\n');
    if (end > 0 && text.length - end - 4 >= Number(size ?? 0)) return statusesOf(text)[0] ?? 0;
  }
}

describe('a connection takes the next request', () => {
  const refusals: [number, () => string[]][] = [
    [401, () => ['POST /v1/vals', 'Authorization: Bearer wrong', json]],
    [404, () => ['POST /v1/nothing', signed(), json]],
    [405, () => ['PUT /v1/me', signed(), json]],
    [413, () => ['POST /v1/vals', signed(), json]],
    [415, () => ['POST /v1/vals', signed(), 'Content-Type: text/plain']],
  ];

  test.each(refusals)('after the status %i', async (status, lines) => {
    const size = status === 413 ? 4 * 1024 * 1024 + 1 : 40_000;
    const tries = isLong ? 500 : 12;
    const body = Buffer.alloc(size, ' ');
    const { socket, answer } = await openConnection();
    const [line = '', ...headers] = lines();
    const statuses = new Map<string, number>();
    for (let i = 0; i < tries; i++) {
      const answered = answer();
      const sentFirst = [0, 1, 20_000, size][i % 4];
      socket.write(head(line, ...headers, `Content-Length: ${size}`));
      socket.write(body.subarray(0, sentFirst));
      const early = await answered;
      const next = answer();
      socket.write(body.subarray(sentFirst));
      socket.write(me());
      const both = `${early} ${await next}`;
      statuses.set(both, (statuses.get(both) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ [`${status} 200`]: tries });
  });

  test('with a chunked body, right after the body of a refused request', async () => {
    const { socket, answer } = await openConnection();
    const refused = answer();
    socket.write(head('POST /v1/vals', 'Content-Length: 5', json));
    expect(await refused).toBe(401);
    const next = answer();
    socket.write(`12345${chunked('n')}`);
    expect(await next).toBe(201);
  });

  test('after 401, from other callers of a proxy that keeps its connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    const proxy = createServer((incoming, outgoing) => {
      const { method, headers, url: path } = incoming;
      const forwarded = request({ port: service.port, method, path, headers, agent }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.writeHead(502).end());
      incoming.pipe(forwarded);
    });
    onTestFinished(() => agent.destroy());
    const through = { baseUrl: `http://127.0.0.1:${await listen(proxy)}` };
    const headers = { Host: `127.0.0.1:${service.port}` };
    const count = isLong ? 500 : 50;
    const repeat = async (token: string | null, raw: string | undefined) => {
      const statuses: number[] = [];
      for (let i = 0; i < count; i++) {
        const [method, path] = raw ? ['POST', '/v1/vals'] : ['GET', '/v1/me'];
        statuses.push((await ask(through, method as string, path as string, { token, headers, raw })).status);
      }
      return new Set(statuses);
    };
    const [stranger, user] = await Promise.all([
      repeat(null, ' '.repeat(100_000)),
      repeat(service.token, undefined),
    ]);
    expect([[...stranger], [...user]]).toEqual([[401], [200]]);
  });
});

describe('requests sent ahead', () => {
  const put = (name: string, code: string) => {
    const body = JSON.stringify({ name, code });
    const headers = [signed(), 'Content-Type: application/json', `Content-Length: ${body.length}`];
    return head('PUT /v1/vals', ...headers) + body;
  };
  const last = () => head('GET /v1/me', signed(), 'Connection: close');

  test('are answered in order', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `ahead${i}`);
    const requests = names.map((name) => put(name, 'c') + me());
    const answers = await speak(service.port, requests.join('') + last());
    expect([...answers.matchAll(/"name":"(ahead\d+)"/g)].map(([, name]) => name)).toEqual(names);
    expect(statusesOf(answers)).toEqual([...names.flatMap(() => [201, 200]), 200]);
  });

  test('behind a refused request are answered too', async () => {
    const refused = head('POST /v1/vals', 'Content-Length: 5', 'Content-Type: application/json');
    const answers = await speak(service.port, `${me()}${refused}12345${me()}${last()}`);
    expect(statusesOf(answers)).toEqual([200, 401, 200, 200]);
  });

  test('behind a request with an Upgrade header are lost, so the connection is closed', async () => {
    const upgrade = head('GET /v1/me', signed(), 'Connection: Upgrade', 'Upgrade: h2c');
    const answers = await speak(service.port, `${me()}${upgrade}${me()}`);
    expect(statusesOf(answers)).toEqual([200, 200]);
    expect(answers).toMatch(/\r\nConnection: close\r\n/);
  });
});

describe('one address, such as that of an office,', () => {
  test('has 300 connections at a time, and each is served', async () => {
    const opened = await Promise.all(Array.from({ length: 300 }, openConnection));
    for (const round of [1, 2]) {
      const answers = opened.map(({ answer }) => answer());
      for (const { socket } of opened) socket.write(me());
      expect(new Set(await Promise.all(answers)), `round ${round}`).toEqual(new Set([200]));
    }
    expect(opened.filter(({ socket }) => socket.destroyed)).toEqual([]);
  });

  test('sends 200 chunked bodies at a time, and each is stored', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `c${i}`.padEnd(4, '_'));
    const opened = await Promise.all(names.map(openConnection));
    const answers = opened.map(({ answer }) => answer());
    for (const [index, { socket }] of opened.entries()) {
      const body = JSON.stringify({ name: names[index], code: 'c' });
      const chunks = body.replace(/.{1,3}/g, (part) => `${part.length.toString(16)}\r\n${part}\r\n`);
      socket.write(head('PUT /v1/vals', signed(), json, 'Transfer-Encoding: chunked'));
      socket.write(`${chunks}0\r\n\r\n`);
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set([201]));
  });
});
