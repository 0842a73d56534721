import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../../../src/service/http/metrics.ts';
import { statusIn } from '../support.ts';

test('requests that arrive at the same time share one text', async () => {
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
  const sockets = Array.from({ length: 50 }, () => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  const read = async () => {
    const answers = sockets.map((socket) => once(socket, 'data'));
    for (const socket of sockets) socket.write('HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    for (const [answer] of await Promise.all(answers)) expect(statusIn(answer)).toBe(200);
  };
  // The first `read` is not counted: the server accepts one connection at a time, so the requests arrive one by one.
  await read();
  const before = texts;
  await read();
  expect(texts - before).toBeLessThan(25);
});
