import { type Readable, Transform } from 'node:stream';
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolInput } from './tool-input.ts';
import type { ToolResult } from './tool-out.ts';
import type { CallOptions } from './tool-runner.ts';
import type { Tool } from './tools.ts';

export interface ProtocolOptions {
  version: string;
  instructions: string;
  tools: readonly Tool[];
  call(name: string, input: ToolInput, options: CallOptions): Promise<ToolResult>;
  stdin: Readable;
  stdout: NodeJS.WritableStream;
  editBeforeWriting(message: string): string;
  onError(error: Error): void;
  signal: AbortSignal;
}

export async function serveProtocol(options: ProtocolOptions): Promise<void> {
  const { stdin, stdout, editBeforeWriting, signal, onError } = options;
  const output = new Transform({
    transform: (message, _encoding, done) => done(null, editBeforeWriting(String(message))),
  });
  // Each result that waits adds a listener, and Node would warn about more than ten.
  output.setMaxListeners(0).pipe(stdout, { end: false });
  const transport = new StdioServerTransport(stdin, output);
  const handle = serveStdio(() => createServer(options), { transport, onerror: onError });
  const { onclose } = transport;
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  const close = () => void handle.close();
  signal.addEventListener('abort', close);
  if (signal.aborted) close();
  await closed;
  signal.removeEventListener('abort', close);
}

function createServer({ version, instructions, tools, call }: ProtocolOptions): Server {
  const server = new Server({ name: 'vals', version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  const callTool = async (
    { params }: CallToolRequest,
    { mcpReq }: ServerContext,
  ): Promise<CallToolResult> => {
    const { name, arguments: input = {} } = params;
    if (!tools.some((tool) => tool.name === name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
    }
    const progressToken = mcpReq._meta?.progressToken;
    let progress = 0;
    const onProgress = (message: string) => {
      if (progressToken === undefined) return;
      progress += 1;
      const notification = { progressToken, progress, message };
      mcpReq.notify({ method: 'notifications/progress', params: notification }).catch(() => {});
    };
    const options = { signal: mcpReq.signal, onProgress };
    const { texts, document, isError } = await call(name, input, options);
    const content = texts.map((text) => ({ type: 'text' as const, text }));
    return { content, structuredContent: document, isError };
  };
  server.setRequestHandler('tools/call', callTool);
  return server;
}
