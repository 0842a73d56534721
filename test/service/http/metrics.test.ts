// Many readers of the metrics at the same time.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../../../src/service/http/metrics.ts';
import { statusIn, statusOf } from '../support.ts';

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
  // The first reader also waits for the counts.
  expect(await statusOf({ baseUrl: `http://127.0.0.1:${port}` }, 'GET', '/metrics')).toBe(200);
  const sockets = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    }),
  );
  const answers = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets) socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
  for (const [answer] of await Promise.all(answers)) expect(statusIn(answer)).toBe(200);
  expect(texts - 1).toBeLessThan(25);
});
