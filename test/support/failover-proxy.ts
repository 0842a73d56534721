import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';

interface FailoverProxy {
  baseUrl: string;
  targets: string[];
}

export async function failoverProxy(): Promise<FailoverProxy> {
  const targets: string[] = [];
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming);
    const first = turn++;
    for (let tried = 0; tried < targets.length; tried++) {
      const target = targets[(first + tried) % targets.length] ?? '';
      try {
        const answer = await askOne(target, incoming, body);
        outgoing.writeHead(answer.status, answer.headers).end(answer.body);
        return;
      } catch {
        if (incoming.method === 'POST') break;
      }
    }
    outgoing.writeHead(502).end();
  };

  const askOne = (target: string, { method, url, headers }: IncomingMessage, body: Buffer) =>
    new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
      const outgoing = request(new URL(url ?? '', target), {
        method,
        agent,
        headers: { ...headers, host: new URL(target).host, connection: 'keep-alive' },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        const { 'content-type': type = '', 'retry-after': after } = incoming.headers;
        const kept = { 'Content-Type': type, ...(after !== undefined && { 'Retry-After': after }) };
        buffer(incoming).then(
          (answered) => resolve({ status: incoming.statusCode ?? 0, headers: kept, body: answered }),
          reject,
        );
      });
      outgoing.end(body);
    });

  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  onTestFinished(() => agent.destroy());
  return { baseUrl: `http://127.0.0.1:${await listen(server)}`, targets };
}
