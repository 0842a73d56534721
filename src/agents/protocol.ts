import { type Readable, Writable } from 'node:stream';
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Answer, CallOptions } from './call.ts';
import type { Tool } from './tools.ts';
import type { Input } from './words.ts';

export interface ProtocolOptions {
  version: string;
  instructions: string;
  tools: readonly Tool[];
  explainMissing(name: string): string;
  call(name: string, input: Input, options: CallOptions): Promise<Answer>;
  stdin: Readable;
  stdout: Writable;
  editBeforeWriting(message: string): string;
  onError(error: Error): void;
  signal: AbortSignal;
}

const largestMessageBytes = 4 * 1_048_576;

export async function serveProtocol(options: ProtocolOptions): Promise<void> {
  const { stdin, signal, onError } = options;
  const stdout = editedOutput(options);
  let transport: ClosingTransport | undefined;
  const closed = new Promise<void>((resolve) => {
    transport = new ClosingTransport(stdin, stdout, resolve);
  });
  const handle = serveStdio(() => createServer(options), { transport, onerror: onError });
  const close = () => void handle.close();
  signal.addEventListener('abort', close);
  if (signal.aborted) close();
  await closed;
  signal.removeEventListener('abort', close);
}

class ClosingTransport extends StdioServerTransport {
  readonly #onClosed: () => void;

  constructor(stdin: Readable, stdout: Writable, onClosed: () => void) {
    super(stdin, stdout, { maxBufferSize: largestMessageBytes });
    this.#onClosed = onClosed;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onClosed();
  }
}

const editedOutput = ({ stdout, editBeforeWriting }: ProtocolOptions): Writable =>
  new Writable({
    decodeStrings: false,
    write: (message, _encoding, done) => void stdout.write(editBeforeWriting(String(message)), done),
  });

function createServer({ version, instructions, tools, explainMissing, call }: ProtocolOptions): Server {
  const server = new Server({ name: 'vals', version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }): Promise<CallToolResult> => {
    const { name, arguments: input = {} } = params;
    if (!tools.some((tool) => tool.name === name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, explainMissing(name));
    }
    const progressToken = mcpReq._meta?.progressToken;
    let progress = 0;
    const onProgress = (message: string) => {
      if (progressToken === undefined) return;
      progress += 1;
      const notification = { progressToken, progress, message };
      mcpReq.notify({ method: 'notifications/progress', params: notification }).catch(() => {});
    };
    const { texts, document, isError } = await call(name, input, { signal: mcpReq.signal, onProgress });
    const content = texts.map((text) => ({ type: 'text' as const, text }));
    return { content, structuredContent: document, isError };
  });
  return server;
}
