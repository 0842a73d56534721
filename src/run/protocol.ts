import type { ServerResponse } from 'node:http';

/**
 * The val's process has four more channels than other programs. On `modules` it asks for modules and gets answers. On
 * `events` it tells what the val does. On `value` and `log` come the bytes of what the val returned and of what it printed.
 */
export const channels = { modules: 3, events: 4, value: 5, log: 6 } as const;

export type ModuleFormat = 'module' | 'commonjs' | 'json';

/** A line of JSON. The process waits for the answer. */
export interface Ask {
  /** Of a file, or of a module on the web. */
  url: string;
  /** As the import has it, in the module `from`. */
  specifier: string;
  from: string | undefined;
}

/** Without a `url`, Node finds the module itself. Without a `source`, Node reads the file. An `error` is thrown. */
export interface Answer {
  /** Behind links and redirects. */
  url?: string;
  format?: ModuleFormat;
  source?: string;
  error?: string;
}

export const isRemote = (url: string): boolean => /^https?:/.test(url);

/** The address of a file, and the query or fragment that makes another module of it. */
export function splitQuery(url: string): [address: string, query: string] {
  const at = url.search(/[?#]/);
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)];
}

/** `npm:zod@3/mini` is `zod/mini`. */
export const withoutNpm = (specifier: string): string =>
  specifier.replace(/^npm:\/?((?:@[^/]+\/)?[^/@]+)(?:@[^/]*)?/, '$1');

export type ValueKind = 'text' | 'bytes' | 'json' | 'none';

/** Each is sent as a line of JSON. */
export type ValEvent =
  | { kind: 'value'; of: ValueKind }
  | { kind: 'returned' }
  /** The process ends. */
  | { kind: 'failed'; thrown: Thrown }
  | { kind: 'ready'; port: number; secret: string }
  /** The val failed on a request, and its process goes on. */
  | { kind: 'threw'; thrown: Thrown }
  /** The channel to vals is closed, and all requests have been answered. */
  | { kind: 'idle' };

export interface Thrown {
  /** The name and the message of the error. */
  text: string;
  /** The error as Node shows it: stack, causes and other properties. */
  whole: string;
  code?: string;
  permission?: string;
  resource?: string;
  /** Node found no module: what is imported, and the URL of the module that imports it. */
  specifier?: string;
  importer?: string;
  takesRequests?: boolean;
}

/** A process that serves requests answers only those that carry its secret in this header. */
export const secretHeader = 'vals-secret';

/** Between vals and the val, headers may be longer than Node allows, so that Node's limit counts only once. */
export const mostHeaderBytes = 1 << 21;

/** Splits only at newlines. An error may contain the other characters that `readline` takes for the end of a line. */
export function lineReader(onLine: (line: string) => void): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  return (piece) => {
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      onLine(Buffer.concat([...pieces, piece.subarray(from, end)]).toString());
      pieces = [];
      from = end + 1;
    }
    pieces.push(piece.subarray(from));
  };
}

/** An answer that vals makes, and not the val. Pages of every origin can read it, and so show what went wrong. */
export function answerForPages(outgoing: ServerResponse, status: 500 | 504, text: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'access-control-allow-origin': '*' };
  outgoing.writeHead(status, headers).end(`${text}\n`);
}
