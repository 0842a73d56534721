import { connectTimeoutMs, type Fault, type Trouble } from '../../api/http/retry.ts';
import type { ValsError } from '../../errors.ts';
import type { Hints } from '../../lib/hint.ts';
import { isLoopback } from '../../lib/host-names.ts';
import {
  capitalised,
  checkProxy,
  type Explained,
  type Explanation,
  type Service,
  unavailable,
  withFullStop,
} from './service.ts';
import { tlsExplanation } from './tls.ts';

type NoConnection = Extract<Fault, { trouble: Trouble }>;

export function connectionError(failed: Explained<NoConnection>): ValsError {
  const { fault, service } = failed;
  const { origin } = service.base;
  const { reason, hint } = explanationOf(fault, service);
  switch (fault.kind) {
    case 'not_connected':
      return unavailable(
        failed,
        `Could not connect to ${origin}: ${reason}.`,
        hint ?? checkAddress(origin),
        hint,
      );
    case 'rejected':
      return unavailable(failed, withFullStop(capitalised(reason)), hint ?? runAgain, hint);
    case 'lost':
      return unavailable(failed, `The connection to ${origin} was lost: ${reason}.`, runAgain);
    case 'timed_out':
      return unavailable(failed, `${origin} took too long: ${reason}.`, runAgain);
  }
}

const runAgain = 'Run the command again.';

function checkAddress(origin: string): Hints {
  const { hostname, port, protocol } = new URL(origin);
  const seeConfig = { text: 'To see where the address comes from', command: 'config' };
  if (!isLoopback(hostname)) return ['Check the address and the network.', seeConfig];
  const serve = { text: 'To start the embedded service there', command: 'serve', input: { port } };
  return ['Check that the service is running.', protocol === 'http:' && port !== '' ? serve : seeConfig];
}

function explanationOf({ kind, trouble }: NoConnection, service: Service): Explanation {
  switch (trouble.kind) {
    case 'no reply':
      return { reason: `there was no reply within ${Math.round(trouble.afterMs / 100) / 10} s` };
    case 'tls':
      return tlsExplanation(trouble, service);
    case 'proxy refused':
      return proxyRefusal(trouble.status, service);
    case 'error':
      if (trouble.at === 'proxy') return proxyError(trouble, service);
      return { reason: throughProxy(kind, service) + reasonOf(trouble) };
  }
}

const throughProxy = (kind: NoConnection['kind'], { proxy }: Service): string =>
  kind === 'not_connected' && proxy !== undefined ? `through the proxy ${proxy.url.host}, ` : '';

function proxyError(trouble: ErrorTrouble, { proxy }: Service): Explanation {
  return {
    reason: `at the proxy ${proxy?.url.host}, ${reasonOf(trouble)}`,
    hint: checkProxy(proxy),
  };
}

function proxyRefusal(status: number, { proxy }: Service): Explanation {
  const name = `the proxy ${proxy?.url.host}`;
  if (status === 407 && proxy !== undefined) {
    const { url, variable } = proxy;
    const hasCredentials = url.username !== '' || url.password !== '';
    return {
      reason: `${name} ${hasCredentials ? 'rejected the user name and password' : 'requires a user name and password'}`,
      hint: `Set ${variable} to ${url.protocol}//USER:PASSWORD@${url.host}, and percent-encode the user name and the password.`,
    };
  }
  const isTemporary = status === 408 || status === 429 || status >= 500;
  if (isTemporary)
    return { reason: `${name} answered with status ${status}`, hint: 'Run the command again later.' };
  return {
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
  HTTPParserError: 'the reply is not HTTP',
};

type ErrorTrouble = Extract<Trouble, { kind: 'error' }>;

const reasonOf = ({ code, message }: ErrorTrouble): string => reasons[code] ?? (message || code);
