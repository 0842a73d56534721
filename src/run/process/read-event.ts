import { isObject, type JsonValue, parseIfJson } from '../../core/lib/json.ts';
import type { Ask, ValEvent } from '../protocol.ts';

/** Undefined if the line is none: the val can write to the descriptors of vals, too. */
export function readEvent(line: string): ValEvent | undefined {
  const event = parseIfJson(line);
  return isEvent(event) ? event : undefined;
}

export function readAsk(line: string): Ask | undefined {
  const asked = parseIfJson(line);
  return isAsk(asked) ? asked : undefined;
}

const isEvent = (value: JsonValue | undefined): value is JsonValue & ValEvent =>
  isObject(value) && typeof value.kind === 'string';

const isAsk = (value: JsonValue | undefined): value is JsonValue & Ask =>
  isObject(value) && typeof value.url === 'string';
