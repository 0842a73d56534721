// What the default export gave, as vals takes it: text, JSON or nothing.
import type { Pipe } from './pipe.ts';

/** `instanceof Response` would load all of fetch, which most vals do without. */
export const isResponse = (value: unknown): value is Response =>
  Object.prototype.toString.call(value) === '[object Response]';

export async function sendValue(value: unknown, pipe: Pipe): Promise<void> {
  if (value === undefined) {
    await pipe.send({ value: 'none' });
  } else if (typeof value === 'string') {
    await pipe.send({ value: 'text' });
    await pipe.sendBytes(Buffer.from(value));
  } else if (isResponse(value)) {
    await pipe.send({ value: 'text' });
    for await (const bytes of value.body ?? []) await pipe.sendBytes(bytes);
  } else {
    const text = jsonOf(value);
    await pipe.send({ value: 'json' });
    await pipe.sendBytes(Buffer.from(text));
  }
}

function jsonOf(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new TypeError(`What the val returned cannot be written as JSON: ${(error as Error).message}`);
  }
  if (text === undefined)
    throw new TypeError(`What the val returned is a ${typeof value}, which JSON has not.`);
  return text;
}
