import { PassThrough } from 'node:stream';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { onTestFinished } from 'vitest';
import { type InProcessOptions, inProcess } from '../support/in-process.ts';
import { environment, program, type RunOptions, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';

type Options = Pick<RunOptions, 'env' | 'cwd' | 'home'> & Pick<InProcessOptions, 'clock'>;

/** How long a client waits for an answer: the minute of the libraries is short on a busy machine. */
const patience = { timeout: 200_000 };

const identity = { name: 'test', version: '1.0.0' };

/** `connectAgent` has the client of 2025. */
export const otherClients = [
  new OlderClient(identity),
  new Client(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
];

/** Runs `vals mcp` in this process, which is fast. */
export function connectAgent(
  args: readonly string[],
  options: Options = {},
  client: Client | OlderClient = new Client(identity),
) {
  const agent = rawAgent(args, options);
  const transport: Transport = {
    async start() {
      agent.onLine((line) => transport.onmessage?.(JSON.parse(line)));
      void agent.ended.then(() => transport.onclose?.());
    },
    async send(message) {
      agent.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      await agent.end();
    },
  };
  return connected(client, transport);
}

/** Runs `vals mcp` in a process of its own. */
export async function startAgent(args: readonly string[], options: Options) {
  const home = options.home ?? temporaryFolder();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    cwd: options.cwd ?? home,
    env: environment(home, options.env),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return { ...(await connected(new Client(identity), transport)), stderr: () => stderr };
}

async function connected(client: Client | OlderClient, transport: Transport) {
  await client.connect(transport, patience);
  onTestFinished(() => client.close());
  return {
    listTools: async () => (await client.listTools()).tools,
    async call(name: string, input: Record<string, unknown> = {}, { signal }: { signal?: AbortSignal } = {}) {
      const options = { ...patience, signal };
      const params = { name, arguments: input };
      const { content, structuredContent, isError } =
        client instanceof Client
          ? await client.callTool(params, options)
          : await client.callTool(params, undefined, options);
      if (!Array.isArray(content)) throw new TypeError('The answer has no content.');
      return {
        isError: isError === true,
        document: structuredContent as Record<string, unknown>,
        texts: content.map(({ text }) => String(text)),
      };
    },
  };
}

export async function agentOnService(args: readonly string[] = [], options: Omit<Options, 'env'> = {}) {
  const { env } = await startStrict({ list: true });
  return connectAgent(args, { ...options, env });
}

/** Writes and reads the lines of the protocol itself. */
export function rawAgent(
  args: readonly string[],
  { env, cwd, home = temporaryFolder(), clock }: Options = {},
) {
  const input = new PassThrough();
  const interrupt = new AbortController();
  const lines: string[] = [];
  const listeners = new Set<(line: string) => void>();
  let read = 0;
  const ended = inProcess(['mcp', ...args], {
    env: environment(home, env),
    cwd: cwd ?? home,
    input,
    clock,
    signal: interrupt.signal,
    heard({ stdout }) {
      for (let end = stdout.indexOf('\n', read); end >= 0; end = stdout.indexOf('\n', read)) {
        const line = stdout.slice(read, end);
        read = end + 1;
        lines.push(line);
        for (const listener of listeners) listener(line);
      }
    },
  });
  onTestFinished(() => void input.end());
  const write = (text: string) => void input.write(text);
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    lines,
    onLine: (listener: (line: string) => void) => void listeners.add(listener),
    write,
    send,
    callTool: (id: number, name: unknown, input: object = {}) =>
      send({ id, method: 'tools/call', params: { name, arguments: input, _meta: { progressToken: id } } }),
    answerTo: (id: number) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        const look = (line: string) => {
          const message = JSON.parse(line);
          if (message.id === id) resolve(message);
        };
        lines.forEach(look);
        listeners.add(look);
        void ended.then(({ stderr }) => reject(new Error(`ended: ${stderr}`)));
      }),
    interrupt: (reason: Error) => interrupt.abort(reason),
    async end(): Promise<number> {
      input.end();
      return (await ended).exit;
    },
    ended,
  };
}

export async function initializedAgent(args: readonly string[], options: Options) {
  const agent = rawAgent(args, options);
  agent.send(initialize);
  await agent.answerTo(0);
  return agent;
}

export const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: identity },
};
