import type { ProxyAddress } from '../../lib/proxy.ts';
import { errnoOf } from '../../lib/system.ts';
import { connectTimeoutMs } from './connections.ts';
import { type NoReply, ProxyError, TimeoutError } from './exchange.ts';
import type { Fault } from './retry.ts';
import { explainTlsError } from './tls-problem.ts';

export function connectionFault(
  { error, mayHaveReachedService }: NoReply,
  origin: string,
  proxy?: ProxyAddress,
): Fault {
  if (error instanceof ProxyError && proxy !== undefined) return proxyFault(error, proxy);
  if (error instanceof TimeoutError) {
    return { kind: mayHaveReachedService ? 'timed_out' : 'not_connected', reason: error.message };
  }
  if (mayHaveReachedService) return { kind: 'lost', reason: reasonOf(error) };
  const tlsProblem = explainTlsError(error, {
    name: `the service at ${origin}`,
    addressHint: [
      `Check the address ${origin}.`,
      { text: 'To see where the address comes from', command: 'config' },
    ],
  });
  if (tlsProblem) return { kind: 'rejected', ...tlsProblem };
  const via = proxy === undefined ? '' : `through the proxy ${proxy.url.host}, `;
  return { kind: 'not_connected', reason: via + reasonOf(error) };
}

function proxyFault({ problem }: ProxyError, proxy: ProxyAddress): Fault {
  if ('status' in problem) return proxyStatusFault(problem.status, proxy);
  const { cause } = problem;
  const name = nameOf(proxy);
  const addressHint = [
    `Check the proxy address in ${proxy.variable}.`,
    { text: 'To see the address without the password', command: 'config' },
  ];
  const tlsProblem = explainTlsError(cause, { name, addressHint });
  if (tlsProblem) return { kind: 'rejected', ...tlsProblem };
  return { kind: 'not_connected', reason: `at ${name}, ${reasonOf(cause)}`, hint: addressHint };
}

const nameOf = ({ url }: ProxyAddress): string => `the proxy ${url.host}`;

function proxyStatusFault(status: number, proxy: ProxyAddress): Fault {
  const { url, variable } = proxy;
  const name = nameOf(proxy);
  if (status === 407) {
    const given = url.username !== '' || url.password !== '';
    return {
      kind: 'rejected',
      reason: `${name} ${given ? 'rejected the user name and password' : 'requires a user name and password'}`,
      hint: `Set ${variable} to ${url.protocol}//USER:PASSWORD@${url.host}, and percent-encode the user name and the password.`,
    };
  }
  const isTemporary = status === 408 || status === 429 || status >= 500;
  if (isTemporary) {
    const reason = `${name} answered with status ${status}`;
    return { kind: 'not_connected', reason, hint: 'Run the command again later.' };
  }
  return {
    kind: 'rejected',
    reason: `${name} refused the connection to the service (status ${status})`,
    hint: "Ask the people who run the proxy, or add the service's host to NO_PROXY.",
  };
}

const noConnection = `there was no connection within ${connectTimeoutMs / 1_000} s`;

const reasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'there is no host with that name',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: noConnection,
  UND_ERR_CONNECT_TIMEOUT: noConnection,
  UND_ERR_HEADERS_TIMEOUT: noConnection,
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed before the whole reply arrived',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the reply is longer or shorter than its Content-Length header says',
  // undici checks the status code with `assert`.
  ERR_ASSERTION: 'the reply has an invalid status code',
};

function reasonOf(error: Error): string {
  const code = errnoOf(error) ?? '';
  if (error.name === 'HTTPParserError') return 'the reply is not HTTP';
  return reasons[code] ?? (error.message || code);
}
