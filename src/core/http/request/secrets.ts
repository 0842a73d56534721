import { isObject } from '../../lib/json.ts';
import { holdsSecret } from '../../lib/visible.ts';
import type { Call } from '../call.ts';
import type { Fault } from './faults.ts';

const bodyFields = ['code', 'readme', 'name', 'privacy', 'error'];

/** The token must be in no content, which others may read, and in no address, which servers write to their logs. */
export function secretIn(call: Call, token: string): Fault | undefined {
  const part = partWithSecret(call, token);
  if (part === undefined) return undefined;
  return part === 'query' && call.isLink ? { kind: 'secret in a link' } : { kind: 'secret', part };
}

function partWithSecret({ body, path, query }: Call, token: string): string | undefined {
  // The path of `vals api` has its query in it, as the user wrote it.
  const inPath = new URLSearchParams(path.replace(/^[^?]*\??/, ''));
  const isInQuery = [...(query ?? []), ...inPath].flat().some((text) => holdsSecret(text, token));
  if (isInQuery) return 'query';
  if (holdsSecret(path, token)) return 'path';
  if (!isObject(body)) return undefined;
  return bodyFields.find((field) => {
    const text = body[field];
    return typeof text === 'string' && holdsSecret(text, token);
  });
}
