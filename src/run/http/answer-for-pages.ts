import type { ServerResponse } from 'node:http';

/** An answer that vals makes, and not the val. Pages of every origin can read it, and so show what went wrong. */
export function answerForPages(outgoing: ServerResponse, status: 500 | 504, text: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'access-control-allow-origin': '*' };
  outgoing.writeHead(status, headers).end(`${text}\n`);
}
