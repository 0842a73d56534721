import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type TemporaryService, temporaryService } from '../support.ts';

let service: TemporaryService;
beforeAll(async () => {
  service = await temporaryService();
});

const head = (line: string, ...more: string[]) =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${service.port}`, ...more, '', ''].join('\r\n');
const signed = () => `Authorization: Bearer ${service.token}`;
const me = () => head('GET /v1/me', signed());
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
    const tries = 12;
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
