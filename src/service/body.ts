import { isUtf8 } from 'node:buffer';
import { isObject } from '../core/lib/json.ts';
import { largestBody } from './limits.ts';
import { HttpProblem } from './problem.ts';
import type { ServiceRequest } from './request.ts';

export async function readBytes({ incoming }: ServiceRequest, most = largestBody): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > most) throw tooLarge(most);
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    const onGone = () =>
      reject(new HttpProblem(408, 'The client disconnected before the end of its request.'));
    if (incoming.destroyed) onGone();
    incoming.once('end', resolve).once('error', onGone).once('close', onGone);
    incoming.on('data', function onData(chunk: Buffer) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= most) return;
      incoming.off('data', onData);
      reject(tooLarge(most));
    });
  });
  return Buffer.concat(chunks);
}

const tooLarge = (most: number): HttpProblem =>
  new HttpProblem(413, `The request body must have at most ${most} bytes.`);

export function parseBody(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new HttpProblem(400, 'The request body is not UTF-8.');
  const body = parse(bytes.toString());
  if (isObject(body)) return body;
  throw new HttpProblem(400, 'The request body must be a JSON object.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'The request body is not JSON.');
  }
}
