import type { Pipe } from './pipe.ts';

/** Does not use `instanceof Response`, because it would load fetch, and most vals do not need fetch. */
export const isResponse = (value: unknown): value is Response =>
  Object.prototype.toString.call(value) === '[object Response]';

export async function sendValue(value: unknown, pipe: Pipe): Promise<void> {
  if (value === undefined) {
    pipe.send({ value: 'none' });
  } else if (typeof value === 'string') {
    pipe.send({ value: 'text' });
    pipe.sendBytes(Buffer.from(value));
  } else if (isResponse(value)) {
    pipe.send({ value: 'text' });
    for await (const bytes of value.body ?? []) pipe.sendBytes(bytes);
  } else {
    const text = jsonOf(value);
    pipe.send({ value: 'json' });
    pipe.sendBytes(Buffer.from(text));
  }
}

function jsonOf(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypeError(`The value that the val returned cannot be written as JSON: ${reason}`);
  }
  if (text === undefined)
    throw new TypeError(`The val returned a value of type ${typeof value}, which cannot be written as JSON.`);
  return text;
}
