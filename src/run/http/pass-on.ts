import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ValsError } from '../../core/errors.ts';
import type { Clock } from '../../core/lib/waiting.ts';
import { mostHeaderBytes, secretHeader } from '../protocol.ts';
import type { Address, Serving } from './serving-process.ts';

/** What vals answers, because the val did not. */
export interface OwnAnswer {
  status: 500 | 504;
  text: string;
}

export interface PassOnOptions {
  serving: Serving;
  clock: Clock;
  maxSeconds: number;
}

/** Passes a request on to a process of the val, and the answer back, both as they come. Undefined if the caller left, too. */
export async function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { serving, clock, maxSeconds }: PassOnOptions,
): Promise<OwnAnswer | undefined> {
  const address = await serving.address().catch(valsErrorOnly);
  if (outgoing.destroyed) return undefined;
  if (address instanceof ValsError) return { status: 500, text: address.message };

  const passed = send(incoming, outgoing, address);
  let tooLate: ValsError | undefined;
  const cancelLimit = clock.after(maxSeconds * 1_000, () => {
    tooLate = serving.giveUp();
    passed.destroy();
  });
  const answer = await answerTo(passed);
  cancelLimit();
  if (outgoing.destroyed) return undefined;
  if (tooLate !== undefined) return { status: 504, text: tooLate.message };
  if (answer === undefined) return { status: 500, text: (await serving.lost()).message };

  const { statusCode = 500, statusMessage, rawHeaders } = answer;
  outgoing.writeHead(statusCode, statusMessage, endToEnd(rawHeaders));
  outgoing.flushHeaders();
  // If the process ends in the middle of an answer, or the caller leaves, this closes the other side.
  await pipeline(answer, outgoing).catch(() => {});
  return undefined;
}

function valsErrorOnly(error: unknown): ValsError {
  if (error instanceof ValsError) return error;
  throw error;
}

function send(incoming: IncomingMessage, outgoing: ServerResponse, address: Address): ClientRequest {
  const { method, url: path } = incoming;
  const { port, secret, agent } = address;
  // These two headers are about the connection of the caller.
  const { connection: _connection, trailer: _trailer, ...headers } = incoming.headersDistinct;
  const passed = request({
    host: '127.0.0.1',
    port,
    agent,
    method,
    path,
    setHost: false,
    maxHeaderSize: mostHeaderBytes,
  });
  // Otherwise Node would add it to a POST without a body.
  passed.removeHeader('transfer-encoding');
  for (const [name, values = []] of Object.entries(headers)) passed.setHeader(name, values);
  passed.setHeader(secretHeader, secret);
  passed.on('error', () => {});
  incoming.pipe(passed);
  outgoing.once('close', () => {
    // The rest of the body must be read. Otherwise the next request on this connection would never be read.
    incoming.unpipe(passed);
    incoming.resume();
    passed.destroy();
  });
  return passed;
}

/** Undefined if the connection broke off before the answer. */
async function answerTo(passed: ClientRequest): Promise<IncomingMessage | undefined> {
  try {
    const [answer] = await once(passed, 'response');
    return answer;
  } catch {
    return undefined;
  }
}

/** The body is sent on with an encoding that suits the caller, who may speak HTTP/1.0. */
const endToEnd = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, index) => rawHeaders[index & ~1]?.toLowerCase() !== 'transfer-encoding');
