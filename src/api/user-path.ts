import { UsageError } from '../errors.ts';

export interface UserPath {
  path: string;
  query: string;
}

/** The path must not leave the base URL, because the request carries the token. */
export function parsePath(text: string): UserPath {
  const refusal = (problem: string, hint: string) => new UsageError(`The path ${problem}.`, { hint });
  if (text === '') throw refusal('is empty', 'Give a path such as /v1/me.');
  if (/^[a-z][a-z\d+.-]*:/i.test(text) || /^[/\\]{2}/.test(text)) {
    throw refusal(
      'names a host',
      'Give only the part after the base URL, such as /v1/me. To use another service, add --base-url.',
    );
  }
  if (text.includes('#'))
    throw refusal(
      'has a fragment (the part after #), which is never sent',
      'Write # as %23, or remove the fragment.',
    );
  if (/[\\\s\u0000-\u001f\u007f]/.test(text)) {
    throw refusal(
      'contains a space, a backslash or a control character',
      'Percent-encode the spaces, backslashes and control characters. For example, a space is %20.',
    );
  }
  const [path = ''] = text.split('?');
  if (hasDotSegment(path)) {
    throw refusal(
      'has a . or .. segment, which may lead out of the base URL',
      'Remove the . and .. segments from the path.',
    );
  }
  const url = new URL(`http://service/${text.replace(/^\//, '')}`);
  return { path: url.pathname, query: url.search };
}

/** Percent-encoded dots count as dots, because a proxy may decode the path. */
const hasDotSegment = (path: string): boolean =>
  path
    .replace(/%2e/gi, '.')
    .split(/\/|%2f|%5c/i)
    .some((segment) => segment === '.' || segment === '..');
