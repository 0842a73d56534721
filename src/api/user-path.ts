// A path as a user writes it, which must stay under the base URL: the token goes nowhere else.
import { UsageError } from '../errors.ts';

export interface UserPath {
  path: string;
  /** With its question mark; empty where there is none. */
  query: string;
}

export function parsePath(text: string): UserPath {
  const refuse = (problem: string, hint: string) => new UsageError(`The path ${problem}.`, { hint });
  if (text === '') throw refuse('is empty', 'Give it like /v1/me.');
  if (/^[a-z][a-z\d+.-]*:/i.test(text) || /^[/\\]{2}/.test(text)) {
    throw refuse(
      'names a host',
      'Give what stands behind the base URL, like /v1/me; --base-url chooses the service.',
    );
  }
  if (text.includes('#'))
    throw refuse('has a fragment, which is never sent', 'Write # as %23 or leave it out.');
  if (/[\\\s\u0000-\u001f\u007f]/.test(text)) {
    throw refuse('holds a space, a backslash or a control character', 'Write it percent-encoded.');
  }
  const [path = ''] = text.split('?');
  if (hasDotSegment(path)) {
    throw refuse('has a . or .. segment, which may lead out of the base URL', 'Write the path without it.');
  }
  // Percent-encodes what must be; nothing is left in it that could change the host or go up.
  const url = new URL(`http://service/${text.replace(/^\//, '')}`);
  return { path: url.pathname, query: url.search };
}

/** Also where it is encoded: some server on the way may decode it. */
const hasDotSegment = (path: string): boolean =>
  path
    .replace(/%2e/gi, '.')
    .split(/\/|%2f|%5c/i)
    .some((segment) => segment === '.' || segment === '..');
