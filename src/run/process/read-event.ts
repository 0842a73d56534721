import { RunFailedError } from '../../core/errors.ts';
import { isObject, type JsonValue, parseIfJson } from '../../core/lib/json.ts';
import type { Ask, Thrown, ValEvent, ValueKind } from '../protocol.ts';

/** Undefined if the line is no event: the val can write to the descriptors of vals, too. */
export function readEvent(line: string): ValEvent | undefined {
  const event = parseIfJson(line);
  if (!isObject(event)) return undefined;
  const { kind, of, thrown, port, secret } = event;
  switch (kind) {
    case 'returned':
    case 'idle':
      return { kind };
    case 'value':
      return isValueKind(of) ? { kind, of } : undefined;
    case 'failed':
    case 'threw':
      return isThrown(thrown) ? { kind, thrown } : undefined;
    case 'ready':
      return typeof port === 'number' && typeof secret === 'string' ? { kind, port, secret } : undefined;
    default:
      return undefined;
  }
}

const valueKinds: readonly unknown[] = ['text', 'bytes', 'json', 'none'] satisfies ValueKind[];

const isValueKind = (value: unknown): value is ValueKind => valueKinds.includes(value);

const isThrown = (value: JsonValue | undefined): value is JsonValue & Thrown =>
  isObject(value) &&
  typeof value.text === 'string' &&
  typeof value.whole === 'string' &&
  [value.code, value.permission, value.resource].every((each) =>
    ['string', 'undefined'].includes(typeof each),
  );

export function readAsk(line: string): Ask | undefined {
  const asked = parseIfJson(line);
  if (!isObject(asked)) return undefined;
  const { url, specifier, from } = asked;
  if (typeof url !== 'string' || typeof specifier !== 'string' || !/^(?:file|https?):/.test(url))
    return undefined;
  return { url, specifier, from: typeof from === 'string' ? from : undefined };
}

export const disturbed = (name: string): RunFailedError =>
  new RunFailedError(`${name} disturbed the descriptors 3 to 6, over which vals speaks with it.`, {
    hint: 'Write only to descriptors that the val has opened itself, or to 1 and 2.',
  });
