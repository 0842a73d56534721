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
// If one of these limits is reached, the server reads no messages for a while. Otherwise, a client that sends without
// end, or does not read the answers, could fill the memory. While the server does not read, it does not notice that
// the client cancels a call or closes stdin, so about a thousand small calls stay below the limit.
const mostCharactersOfCalls = 16 * 1_048_576;
const leastCharactersOfCall = 16 * 1_024;
const mostUnreadCharacters = 1_048_576;

export async function serveProtocol(options: ProtocolOptions): Promise<void> {
  const { stdin, signal, onError } = options;
  const transport = new LimitedTransport(stdin, editedOutput(options));
  const call: ProtocolOptions['call'] = (name, input, callOptions) =>
    transport.countCall(input, () => options.call(name, input, callOptions));
  const handle = serveStdio(() => createServer({ ...options, call }), { transport, onerror: onError });
  const close = () => void handle.close();
  signal.addEventListener('abort', close);
  if (signal.aborted) close();
  await transport.closed;
  signal.removeEventListener('abort', close);
}

class LimitedTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  #onClosed = () => {};
  #isClosed = false;
  #charactersOfCalls = 0;

  constructor(stdin: Readable, stdout: Writable) {
    super(stdin, stdout, { maxBufferSize: largestMessageBytes });
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    // Each answer that waits adds a listener, and Node would warn about more than ten.
    stdout.setMaxListeners(0);
    stdout.on('drain', () => this.#readOrWait());
  }

  async countCall<Result>(input: Input, call: () => Promise<Result>): Promise<Result> {
    const characters = leastCharactersOfCall + JSON.stringify(input).length;
    this.#charactersOfCalls += characters;
    this.#readOrWait();
    try {
      return await call();
    } finally {
      this.#charactersOfCalls -= characters;
      this.#readOrWait();
    }
  }

  override send(...message: Parameters<StdioServerTransport['send']>): Promise<void> {
    const sent = super.send(...message);
    this.#readOrWait();
    return sent;
  }

  #readOrWait(): void {
    if (this.#isClosed) return;
    const mustWait = this.#charactersOfCalls >= mostCharactersOfCalls || this.#stdout.writableNeedDrain;
    if (mustWait) this.#stdin.pause();
    else if (this.#stdin.isPaused()) this.#stdin.resume();
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    await super.close();
    this.#onClosed();
  }
}

const editedOutput = ({ stdout, editBeforeWriting }: ProtocolOptions): Writable =>
  new Writable({
    decodeStrings: false,
    highWaterMark: mostUnreadCharacters,
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
