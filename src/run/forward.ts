import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { brokenConnection, invalidAnswer, tookTooLong } from './failure.ts';
import type { Ending } from './process.ts';
import { requestHeader, secretHeader } from './protocol.ts';
import type { ServingProcess } from './serving-process.ts';

/** A val that reads a body without an end would use more and more memory. */
const mostBodyBytes = 100 * 1_048_576;

interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  serving: ServingProcess;
  port: number;
  requestNumber: number;
  agent: Agent;
  clock: Clock;
  maxSeconds: number;
}

export function forward({
  incoming,
  outgoing,
  serving,
  port,
  requestNumber,
  agent,
  clock,
  maxSeconds,
}: Exchange): Promise<ValsError | undefined> {
  return new Promise((resolve) => {
    let failure: ValsError | undefined;
    const { method, url: path } = incoming;
    const valsHeaders = [secretHeader, serving.secret, requestHeader, `${requestNumber}`];
    const headers = [...headersToForward(incoming.rawHeaders), ...valsHeaders];
    let onward: ClientRequest;
    try {
      onward = sendRequest({ host: '127.0.0.1', port, method, path, headers, agent, setHost: false });
    } catch (error) {
      // Node accepts some headers that it does not send, for example a Content-Disposition in Latin-1.
      incoming.resume();
      refuse(outgoing, 400, `The request cannot be forwarded: ${(error as Error).message}.`);
      return resolve(undefined);
    }

    const valTooSlow = () => {
      const hasCallerStoppedReading = !outgoing.closed && outgoing.writableNeedDrain;
      if (hasCallerStoppedReading) return void outgoing.destroy();
      failure = tookTooLong(serving.entry.name, maxSeconds);
      refuse(outgoing, 504, failure.message);
      serving.retire();
      if (outgoing.closed) resolve(failure);
    };
    const callerTooSlow = () => {
      const hasValStoppedReading = onward.writableNeedDrain;
      if (hasValStoppedReading) return valTooSlow();
      refuse(outgoing, 408, `The request did not arrive within ${maxSeconds} s.`);
    };
    let cancelLimit = clock.after(maxSeconds * 1_000, callerTooSlow);
    const restartLimit = () => {
      cancelLimit();
      cancelLimit = clock.after(maxSeconds * 1_000, valTooSlow);
    };
    incoming.once('end', () => {
      if (!outgoing.closed) restartLimit();
    });

    outgoing.once('close', async () => {
      // The rest of the body must be read, because some callers read the answer only after they sent the whole body.
      incoming.unpipe(onward);
      incoming.resume();
      onward.destroy();
      const hasCallerLeft = !outgoing.writableFinished && failure === undefined;
      if (hasCallerLeft) {
        restartLimit();
        await untilResponsive(port);
      }
      cancelLimit();
      resolve(failure);
    });
    onward.once('error', async ({ code = '' }: NodeJS.ErrnoException) => {
      if (outgoing.closed) return;
      const isInvalidHttp = code.startsWith('HPE_');
      failure ??= isInvalidHttp
        ? invalidAnswer(serving.entry.name)
        : brokenConnection(serving.entry.name, await endingOf(serving, clock));
      refuse(outgoing, 502, failure.message);
    });
    onward.once('response', (answer) => {
      try {
        outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
      } catch {
        failure = invalidAnswer(serving.entry.name);
        outgoing.statusMessage = '';
        return refuse(outgoing, 502, failure.message);
      }
      pipeline(answer, outgoing).catch(() => outgoing.destroy());
    });
    let bodyBytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bodyBytes += chunk.length;
      if (bodyBytes > mostBodyBytes) refuse(outgoing, 413, 'The body is larger than 100 MiB.');
    });
    incoming.pipe(onward);
  });
}

/**
 * Sends a request that the val's process refuses, because it lacks the secret. A val that computes without end does
 * not even do that.
 */
function untilResponsive(port: number): Promise<void> {
  return new Promise((resolve) => {
    const probe = sendRequest({ host: '127.0.0.1', port, agent: false }, (answer) => {
      answer.resume();
      resolve();
    });
    probe.once('error', () => resolve());
    probe.end();
  });
}

/** If the val ends, its connections break a moment before vals knows how the val ended. */
function endingOf({ ended }: ServingProcess, clock: Clock): Promise<Ending | undefined> {
  return new Promise((resolve) => {
    const cancel = clock.after(1_000, () => resolve(undefined));
    void ended.then((ending) => {
      cancel();
      resolve(ending);
    });
  });
}

/** Trailers are not forwarded, and Node throws an error if a request without chunks has a Trailer header. */
const headersToLeaveOut = [secretHeader, requestHeader, 'trailer'];

function headersToForward(headers: readonly string[]): string[] {
  const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : []));
  return pairs.filter(([name = '']) => !headersToLeaveOut.includes(name.toLowerCase())).flat();
}

export function refuse(outgoing: ServerResponse, status: number, message: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
  outgoing.writeHead(status, headers).end(`${message}\n`);
}
