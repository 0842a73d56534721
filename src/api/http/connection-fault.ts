import { errnoOf } from '../../lib/system.ts';
import { type NoReply, ProxyError, TimeoutError } from './dispatch.ts';
import type { Fault, Peer, Trouble } from './retry.ts';
import { isTlsAlert, tlsProblemOf } from './tls-problem.ts';

export function connectionFault({ error, mayHaveReachedService }: NoReply): Fault {
  if (error instanceof ProxyError) return proxyFault(error);
  if (error instanceof TimeoutError) {
    const trouble: Trouble = { kind: 'no reply', afterMs: error.afterMs };
    return { kind: mayHaveReachedService ? 'timed_out' : 'not_connected', trouble };
  }
  // The service expects TLS, so it read nothing of the request.
  if (error.name === 'HTTPParserError' && 'data' in error && isTlsAlert(`${error.data}`)) {
    const trouble: Trouble = { kind: 'tls', at: 'service', problem: 'expects https', reason: codeOf(error) };
    return { kind: 'rejected', trouble };
  }
  if (mayHaveReachedService) return { kind: 'lost', trouble: errorAt('service', error) };
  return noConnection('service', error);
}

function proxyFault({ problem }: ProxyError): Fault {
  if ('cause' in problem) return noConnection('proxy', problem.cause);
  const { status } = problem;
  const isTemporary = status === 408 || status === 429 || status >= 500;
  return { kind: isTemporary ? 'not_connected' : 'rejected', trouble: { kind: 'proxy refused', status } };
}

function noConnection(at: Peer, error: Error): Fault {
  const code = codeOf(error);
  const problem = tlsProblemOf(code);
  if (problem === undefined) return { kind: 'not_connected', trouble: errorAt(at, error) };
  // The messages of OpenSSL are long, and about its source code.
  const reason = /^(ERR_(?!TLS_CERT)|EPROTO)/.test(code) ? code : error.message.replace(/:.*/s, '');
  return { kind: 'rejected', trouble: { kind: 'tls', at, problem, reason } };
}

const errorAt = (at: Peer, error: Error): Trouble => ({
  kind: 'error',
  at,
  code: codeOf(error),
  message: error.message,
});

const codeOf = (error: Error): string =>
  error.name === 'HTTPParserError' ? error.name : (errnoOf(error) ?? '');
