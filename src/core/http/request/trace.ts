import { stringifyJson } from '../../lib/json.ts';
import type { Reply } from '../call.ts';
import { type Fault, isFault } from './faults.ts';

/** Shows each attempt with --debug. */
export interface Trace {
  write(line: string): void;
  redact(text: string): string;
}

const longestBody = 2_000;

/** Returns a function that shows the result: the status, the time, and the body of an error. */
export function traceAttempt(
  { write, redact }: Trace,
  request: { method: string; address: string; attempt: number },
  now: () => number,
): (result: Reply | Fault) => void {
  const startedAt = now();
  write(`> ${request.method} ${request.address} (attempt ${request.attempt})`);
  return (result) => {
    write(`< ${resultLine(result)} in ${Math.round(now() - startedAt)} ms`);
    const body = isFault(result) && 'body' in result ? result.body : undefined;
    if (!body) return;
    // A token that was cut in half would not be recognized, so it is removed first.
    write(redact(typeof body === 'string' ? body : stringifyJson(body)).slice(0, longestBody));
  };
}

function resultLine(result: Reply | Fault): string {
  if (!isFault(result)) return `${result.status}`;
  if ('trouble' in result) return `${result.kind} ${stringifyJson(result.trouble)}`;
  if ('problem' in result) return `${result.status} ${stringifyJson(result.problem)}`;
  return 'status' in result ? `${result.status}` : result.kind;
}
