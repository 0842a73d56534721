import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, problemHeaders, problemText } from '../problem.ts';

export function refuse(outgoing: ServerResponse, problem: Problem): void {
  outgoing.statusCode = problem.status;
  for (const [name, value] of Object.entries(problemHeaders(problem))) outgoing.setHeader(name, value);
  outgoing.setHeader('Connection', 'close');
  outgoing.end(problemText(problem));
}

export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  const problems: Record<string, Problem> = {
    HPE_HEADER_OVERFLOW: new Problem(431, 'The request headers are too large.'),
    ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'The request arrived too slowly.'),
  };
  const problem = problems[`${error.code}`] ?? new Problem(400, 'The request is not valid HTTP.');
  const body = problemText(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Connection: close',
    ...Object.entries(problemHeaders(problem)).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
