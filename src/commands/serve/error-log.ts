import type { InternalError } from '../../cli/load-service.ts';
import { stringifyJson } from '../../lib/json.ts';

const longestError = 4_000;
const pauseMs = 1_000;

interface ErrorLogOptions {
  isJson: boolean;
  hideTokens(text: string): string;
}

/** Logs at most one error per second for each route, because a caller could otherwise fill the disk with errors. */
export function createErrorLog(
  write: (line: string) => void,
  { isJson, hideTokens }: ErrorLogOptions,
): (failure: InternalError) => void {
  const loggedAt = new Map<string, number>();
  return ({ method, route, error }) => {
    const now = performance.now();
    if (now - (loggedAt.get(route) ?? Number.NEGATIVE_INFINITY) < pauseMs) return;
    loggedAt.set(route, now);
    const text = hideTokens(error.stack ?? `${error}`).slice(0, longestError);
    if (isJson) return write(stringifyJson({ time: new Date().toISOString(), method, route, error: text }));
    write(`Internal error in ${method} ${route}:`);
    // The lines are indented, so that the text of an error cannot look like the line of a request.
    for (const line of text.split('\n')) write(`  ${line}`);
  };
}
