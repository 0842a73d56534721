import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../../../src/service/http/metrics.ts';
import { speak, statusIn } from '../support.ts';

const head = 'HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n';

async function startMetrics() {
  let texts = 0;
  const { listen } = createMetrics({
    requestsUnderWay() {
      texts += 1;
      return 0;
    },
    connections: () => ({ inUse: 1, waiting: 0 }),
    counts: async () => ({ vals: 1, runs: 1 }),
  });
  const { port, close } = await listen(0, '127.0.0.1');
  onTestFinished(close);
  return { port, texts: () => texts };
}

test('requests that arrive at the same time share one text', async () => {
  const { port, texts } = await startMetrics();
  const sockets = Array.from({ length: 50 }, () => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // The server accepts one connection at a time, so it has accepted the others when it answers this one.
  await speak(port, head);
  const before = texts();
  const answers = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets) socket.write(head);
  for (const [answer] of await Promise.all(answers)) expect(statusIn(answer)).toBe(200);
  expect(texts() - before).toBeLessThan(25);
});

test('a connection serves one request, and requests sent ahead are not answered', async () => {
  const { port } = await startMetrics();
  const answer = await speak(port, head.repeat(1_000));
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  expect(answer).toContain('Connection: close');
});
