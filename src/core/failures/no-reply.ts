// Connections that failed, by the fault.

import { connectTimeoutMs, type Fault, type Trouble } from '../http/request/faults.ts';
import { type Hints, hintList, sh } from '../lib/hint.ts';
import { isLoopback, type ProxyServer } from '../settings/addresses.ts';
import { type Message, type Service, useHttps } from './statuses.ts';

type NoReply = Extract<Fault, { trouble: Trouble }>;

export function messageOfTrouble({ kind, trouble }: NoReply, { base, proxy }: Service): Message {
  const { origin } = base;
  const reason = troubleSentence(trouble);
  switch (kind) {
    case 'not connected':
    case 'rejected':
      return {
        sentence: `Could not connect to ${origin}: ${reason}.`,
        hint: remedyOf(trouble, proxy) ?? checkAddress(origin),
      };
    case 'lost':
      return {
        sentence: `The connection to ${origin} was lost: ${reason}.`,
        // A server for TLS closes the connection, or answers with what is not HTTP.
        hint: [runAgain, ...hintList(useHttps(origin))],
      };
    case 'timed out':
      return { sentence: `${origin} took too long: ${reason}.`, hint: runAgain };
  }
}

const runAgain = 'Run the command again.';

export const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/** Why there was no reply, for a server of any kind. */
export function troubleSentence(trouble: Trouble): string {
  if (trouble.kind === 'no reply') return `there was no reply within ${inSeconds(trouble.afterMs)}`;
  const { code, message } = trouble;
  // OpenSSL's own messages name places in its source.
  if (/^(?:ERR_(?!TLS_CERT)\w*SSL|EPROTO)/.test(code)) return `the secure connection failed (${code})`;
  return reasons[code] ?? (message.replace(/:.*/s, '') || code);
}

const noConnection = `there was no connection within ${connectTimeoutMs / 1_000} s`;
const closed = 'the connection was closed before the whole reply arrived';
const notHttp = 'the reply is not HTTP';

/** Of other codes, the message of the system is shown. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'there is no host with that name',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: noConnection,
  UND_ERR_CONNECT_TIMEOUT: noConnection,
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: notHttp,
  // undici checks the status code with `assert`.
  ERR_ASSERTION: notHttp,
  HTTPParserError: notHttp,
};

/** Undefined if only the address can be checked. */
export function remedyOf(trouble: Trouble, proxy: ProxyServer | undefined): Hints | undefined {
  if (trouble.kind === 'error' && /SELF_SIGNED_CERT|^UNABLE_TO_/.test(trouble.code))
    return 'If you trust it, set NODE_EXTRA_CA_CERTS to the path of a file with that certificate, or with the root certificate of your company.';
  if (trouble.kind === 'error' && /WRONG_VERSION|HTTPParserError/.test(trouble.code))
    return 'Check whether the address begins with http:// or https://.';
  if (proxy === undefined) return undefined;
  return `Check the proxy in ${proxy.variable}. To go without it, add the host to NO_PROXY.`;
}

function checkAddress(origin: string): Hints {
  const { hostname, port, protocol } = new URL(origin);
  const config = sh`To see where the address comes from, run ${['config']}.`;
  if (!isLoopback(hostname)) return ["Check the address, the network and this machine's clock.", config];
  return [
    'Check that the service is running.',
    protocol === 'https:' || port === ''
      ? config
      : sh`To start the embedded service there, run ${['serve', '--port', port]}.`,
  ];
}
