import { pipeline, type Readable, Transform } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
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
  const input = watchLines((line) => {
    if (!isJson(line)) output.write(`${JSON.stringify(parseError)}\n`);
  });
  pipeline(stdin, input, () => {});
  const transport = new StdioServerTransport(input, output);
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
  input.destroy();
}

/** Passes everything on, and calls `onLine` for each line that is not empty. */
function watchLines(onLine: (line: string) => void): Transform {
  let rest = '';
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      // Each byte is a character, so that no chunk ends within one.
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') onLine(line);
      done(null, chunk);
    },
  });
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** The protocol's package passes over such a line without an answer. */
const parseError = {
  jsonrpc: '2.0',
  id: null,
  error: { code: ProtocolErrorCode.ParseError, message: 'The line is not JSON.' },
};

function createServer({ version, instructions, tools, call }: ProtocolOptions): Server {
  const server = new Server({ name: 'vals', version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  const callTool = async (
    { params }: CallToolRequest,
    { mcpReq }: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> => {
    const { name, arguments: input = {} } = params;
    if (!tools.some((tool) => tool.name === name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
    }
    const answer = inputResponse(mcpReq.inputResponses, 'roots');
    if (answer.kind !== 'roots' && offersRoots(server, mcpReq)) {
      // The client is asked at each call, since its roots may change. It then makes the call once more, with its answer.
      return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    }
    const roots = answer.kind === 'roots' ? foldersOf(answer.roots) : [];
    const progressToken = mcpReq._meta?.progressToken;
    let progress = 0;
    const onProgress = (message: string) => {
      if (progressToken === undefined) return;
      progress += 1;
      const notification = { progressToken, progress, message };
      mcpReq.notify({ method: 'notifications/progress', params: notification }).catch(() => {});
    };
    const options = { signal: mcpReq.signal, onProgress, roots };
    const { texts, document, isError } = await call(name, input, options);
    const content = texts.map((text) => ({ type: 'text' as const, text }));
    return { content, structuredContent: document, isError };
  };
  server.setRequestHandler('tools/call', callTool);
  return server;
}

/** From 2026 on, each request carries what its client can do; before, the client said it once. */
function offersRoots(server: Server, { envelope = {} }: ServerContext['mcpReq']): boolean {
  const said = new Map<string, unknown>(Object.entries(envelope)).get(CLIENT_CAPABILITIES_META_KEY);
  const capabilities = said ?? server.getClientCapabilities();
  return typeof capabilities === 'object' && capabilities !== null && 'roots' in capabilities;
}

function foldersOf(roots: readonly { uri: string }[]): string[] {
  return roots.flatMap(({ uri }) => {
    try {
      return fileURLToPath(uri);
    } catch {
      // It is no folder of this machine.
      return [];
    }
  });
}
