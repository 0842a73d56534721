import { isObject } from '../lib/json.ts';
import { holdsSecret } from '../lib/visible.ts';
import type { Call, RequestStage } from './call.ts';
import { CallFailed } from './request/faults.ts';

const bodyFields = ['code', 'readme', 'name', 'privacy', 'error'];

/** The token must be in no content, which others may read, and in no address, which servers write to their logs. */
export function partWithSecret({ body, path, query }: Call, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
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

/** Sends no call that contains the token of the service. */
export const refuseSecrets =
  (token: string | undefined): RequestStage =>
  (next) =>
  async (call) => {
    const part = partWithSecret(call, token);
    if (part !== undefined) throw new CallFailed(call, { kind: 'secret', part });
    return next(call);
  };
