import { mostRequests } from './request/limiter.ts';

/** With `auto`, as many at a time as the limiter ever lets requests through. */
export async function forEach<Item>(
  items: readonly Item[],
  concurrency: number | 'auto',
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const workers = concurrency === 'auto' ? mostRequests : concurrency;
  const worker = async () => {
    for (const [index, item] of queue) {
      await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, worker));
}
