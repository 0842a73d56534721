export type Callable = (...args: unknown[]) => unknown;

/** Hono, Workers and Bun export an object with a `fetch` method. */
export function functionIn(exported: unknown): Callable | undefined {
  if (isFunction(exported)) return exported;
  if (typeof exported !== 'object' || exported === null || !('fetch' in exported)) return undefined;
  const { fetch } = exported;
  return isFunction(fetch) ? fetch.bind(exported) : undefined;
}

const isFunction = (value: unknown): value is Callable => typeof value === 'function';
