import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createStdioTransport, type StdioOptions } from './stdio-transport.ts';
import type { ToolInput } from './tool-input.ts';
import type { ToolResult } from './tool-out.ts';
import type { CallOptions } from './tool-runner.ts';
import type { Tool } from './tools.ts';

export interface ProtocolOptions extends StdioOptions {
  version: string;
  instructions: string;
  tools: readonly Tool[];
  call(name: string, input: ToolInput, options: CallOptions): Promise<ToolResult>;
  onError(error: Error): void;
  signal: AbortSignal;
}

/** Resolves when the input or the output has ended, with the number of requests that got no answer. */
export async function serveProtocol(options: ProtocolOptions): Promise<number> {
  const { signal, onError } = options;
  const transport = createStdioTransport(options);
  const handle = serveStdio(() => createServer(options), { transport, onerror: onError });
  const close = () => void handle.close();
  signal.addEventListener('abort', close);
  if (signal.aborted) close();
  const unanswered = await transport.closed;
  signal.removeEventListener('abort', close);
  return unanswered;
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
