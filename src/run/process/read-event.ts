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

const areTexts = (...values: unknown[]): boolean => values.every((value) => typeof value === 'string');

function isEvent(value: JsonValue | undefined): value is JsonValue & ValEvent {
  if (!isObject(value) || typeof value.kind !== 'string') return false;
  if (value.kind !== 'failed' && value.kind !== 'threw') return true;
  return isObject(value.thrown) && areTexts(value.thrown.text, value.thrown.whole);
}

const isAsk = (value: JsonValue | undefined): value is JsonValue & Ask =>
  isObject(value) &&
  areTexts(value.url, value.specifier) &&
  (value.from === undefined || areTexts(value.from));
