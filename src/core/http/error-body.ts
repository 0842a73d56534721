// What the body of an error says, in one of the forms that services use.
import { isObject, type JsonObject } from '../lib/json.ts';

/** A member of the problem (RFC 9457) says that the service did not make the change. */
export const saysNotApplied = (body: unknown): boolean => isObject(body) && body.applied === false;

/** A member of the problem says that it is about the token or the caller, so that it concerns all vals. */
export const concernsCaller = (body: unknown): boolean => isObject(body) && body.concerns === 'caller';

const longestMessage = 500;

/** The token is removed by `redact` before anything is cut. */
export function serviceMessageOf(body: unknown, redact: (text: string) => string): string | undefined {
  const message = findMessage(body);
  if (!message?.trim()) return undefined;
  const text = redact(message).replace(/\s+/g, ' ').trim();
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}

function findMessage(body: unknown): string | undefined {
  if (typeof body === 'string') return isHtml(body) ? describeHtml(body) : body;
  if (Array.isArray(body)) return joined(body.map(findMessage));
  if (!isObject(body)) return undefined;
  const message = firstOf(body, ['message', 'detail', 'error', 'title']);
  const details = joined([detailsIn(body, 'validation'), detailsIn(body, 'errors')]);
  if (message === undefined || details === undefined) return message ?? details;
  return message.includes(details) ? message : `${message.replace(/[.:\s]+$/, '')}: ${details}`;
}

function firstOf(body: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const message = Object.hasOwn(body, key) ? findMessage(body[key]) : undefined;
    if (message) return message;
  }
  return undefined;
}

/** The problems of single fields, such as `[{ message: 'must be a string', instancePath: '/name' }]`. */
function detailsIn(body: JsonObject, key: string): string | undefined {
  const details = Object.hasOwn(body, key) ? body[key] : undefined;
  return Array.isArray(details) ? joined(details.map(detailOf)) : findMessage(details);
}

function detailOf(detail: unknown): string | undefined {
  const message = findMessage(detail);
  const path = isObject(detail) ? detail.instancePath : undefined;
  const field = typeof path === 'string' ? path.split('/').filter(Boolean).join('.') : '';
  return message === undefined || field === '' ? message : `${field} ${message}`;
}

function joined(messages: readonly (string | undefined)[]): string | undefined {
  const distinct = [...new Set(messages.filter(Boolean))];
  return distinct.length > 0 ? distinct.join('; ') : undefined;
}

const isHtml = (text: string): boolean => /^\s*<(!doctype|html)/i.test(text);

function describeHtml(page: string): string {
  // A title without its end may have half of the token at its end, which `redact` would not recognize.
  const title = /<title[^>]*>([^<]*)</i.exec(page.slice(0, 10_000))?.[1]?.trim();
  return title ? `an HTML page titled "${title}"` : 'an HTML page';
}
