// Turns the error of a connection into a fault, which tells whether the service may have received the request.
import { errnoOf } from '../../lib/system.ts';
import { connectTimeoutMs, type SocketError } from './agent.ts';
import type { Fault } from './attempt.ts';
import { GivenUp, type NoReply } from './exchange.ts';
import { type ProxyAddress, ProxyError } from './proxy.ts';
import { explainTlsError, isCertificateWanted, type Peer } from './tls-problem.ts';

interface ServiceAddress {
  baseUrl: { origin: string };
  proxy: ProxyAddress | undefined;
}

interface Faults {
  /** The fault of an attempt that got no answer. */
  of(reply: NoReply): Fault;
  /** Returns a clearer fault if the service's error says that the port expects TLS. Returns undefined for other errors. */
  ifPortExpectsTls(fault: Fault): Fault | undefined;
}

/** nginx, Apache, Go and Tomcat answer plain HTTP on a TLS port with 400 and one of these texts. */
const tlsExpected =
  /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled|HTTP request to an HTTPS server|host and port requires TLS/i;

export function createFaults({ baseUrl, proxy }: ServiceAddress): Faults {
  const { origin } = baseUrl;
  const isPlain = origin.startsWith('http:');
  const service: Peer = {
    name: `the service at ${origin}`,
    place: origin,
    port: 'this port',
    check: `Check the address ${origin}: \`vals config\` shows where it comes from.`,
  };
  const speaksHttps: Fault = {
    kind: 'rejected',
    reason: 'this port expects https, not http',
    hint: service.check,
  };
  /** Some TLS servers answer plain HTTP with a TLS alert. */
  const isTlsAlert = (error: Error) =>
    isPlain && 'data' in error && typeof error.data === 'string' && error.data.startsWith('\x15\x03');
  /** Some TLS servers close the connection after plain HTTP. A plain HTTP server may close the connection too. */
  const mayExpectTls = (error: SocketError) => isPlain && error.isUnanswered === true;

  return {
    of({ error, sent }) {
      // A GivenUp means a passed deadline or an interrupt. After an interrupt, the client reports the interrupt, not this fault.
      if (error instanceof GivenUp) {
        return { kind: sent ? 'timed_out' : 'not_connected', reason: error.message };
      }
      if (error instanceof ProxyError && proxy !== undefined) return proxyFault(error, proxy);
      const tlsProblem = explainTlsError(error, service);
      if (!sent) {
        if (tlsProblem) return { kind: 'rejected', ...tlsProblem };
        const via = proxy === undefined ? '' : `through the proxy ${proxy.url.host}, `;
        return { kind: 'not_connected', reason: via + reasonOf(error) };
      }
      // In TLS 1.3, this error arrives after the client has sent its request. The service does not read that request.
      if (tlsProblem && isCertificateWanted(error)) return { kind: 'rejected', ...tlsProblem };
      if (tlsProblem) return { kind: 'tls_broken', reason: 'the secure connection broke' };
      if (isTlsAlert(error)) return speaksHttps;
      return {
        kind: 'lost',
        reason: reasonOf(error),
        ...(mayExpectTls(error) && {
          hint: `If this port expects https, use ${origin.replace('http:', 'https:')}.`,
        }),
      };
    },
    ifPortExpectsTls(fault) {
      if (!isPlain || fault.kind !== 'status' || fault.status !== 400) return undefined;
      return typeof fault.body === 'string' && tlsExpected.test(fault.body) ? speaksHttps : undefined;
    },
  };
}

/** Whether a retry may succeed after the proxy answered with this status. */
const isTemporary = (status: number): boolean => status === 408 || status === 429 || status >= 500;

function proxyFault(error: ProxyError, { url, source }: ProxyAddress): Fault {
  const { status, cause } = error;
  const name = `the proxy ${url.host}`;
  const check = `Check ${source}: \`vals config\` shows it without its password.`;
  if (status === 407) {
    const given = url.username !== '' || url.password !== '';
    return {
      kind: 'rejected',
      reason: `${name} ${given ? 'rejected the user name and password' : 'requires a user name and password'}`,
      hint: `Set ${source} to ${url.protocol}//USER:PASSWORD@${url.host}, and percent-encode the user name and the password.`,
    };
  }
  if (status !== undefined && !isTemporary(status)) {
    return {
      kind: 'rejected',
      reason: `${name} refused the connection to the service (${status})`,
      hint: 'Ask the people who run the proxy, or add the host to NO_PROXY.',
    };
  }
  if (status !== undefined) {
    return {
      kind: 'not_connected',
      reason: `${name} answered ${status}`,
      hint: 'Run the command again later.',
    };
  }
  if (!(cause instanceof Error)) {
    return { kind: 'not_connected', reason: `${name} ${error.message}`, hint: check };
  }
  const tlsProblem = explainTlsError(cause, { name, place: name, port: name, check });
  if (tlsProblem) return { kind: 'rejected', ...tlsProblem };
  return { kind: 'not_connected', reason: `at ${name}, ${reasonOf(cause)}`, hint: check };
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'there is no host with that name',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: `there was no connection within ${connectTimeoutMs / 1_000} s`,
  ECONNRESET: 'the connection was reset',
  ECONNABORTED: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed before the whole answer arrived',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is longer or shorter than its header says',
};

function reasonOf(error: Error): string {
  const code = errnoOf(error) ?? '';
  if (error.name === 'HTTPParserError') return 'the answer is not HTTP';
  return reasons[code] ?? (error.message || code);
}
