// Many readers of the metrics at the same time.
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../../../src/service/http/metrics.ts';
import { statusOf } from '../support.ts';

test('readers that wait at the same time share one text', async () => {
  let texts = 0;
  const { listen } = createMetrics({
    requestsUnderWay() {
      texts += 1;
      return 0;
    },
    connections: () => ({ inUse: 1, waiting: 0 }),
    // All readers wait for the first count, for up to a second.
    counts: () => new Promise((resolve) => setTimeout(resolve, 900, { vals: 1, runs: 1 })),
  });
  const { port, close } = await listen(0, '127.0.0.1');
  onTestFinished(close);
  const readers = Array.from({ length: 50 }, () =>
    statusOf({ baseUrl: `http://127.0.0.1:${port}` }, 'GET', '/metrics'),
  );
  expect(new Set(await Promise.all(readers))).toEqual(new Set([200]));
  expect(texts).toBeLessThan(25);
});
