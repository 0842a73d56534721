import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { onTestFinished } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { environment, program, type RunOptions, temporaryFolder } from '../support/program.ts';
import { serviceInProcess } from '../support/service-in-process.ts';

type Options = Pick<RunOptions, 'env' | 'cwd' | 'home'>;

interface CalledTool {
  isError: boolean;
  document: Record<string, unknown>;
  texts: string[];
}

interface CallOptions {
  signal?: AbortSignal;
}

export interface AgentClient {
  listTools(): Promise<{ name: string; inputSchema: { properties?: object | undefined } }[]>;
  call(name: string, input?: Record<string, unknown>, options?: CallOptions): Promise<CalledTool>;
}

const identity = { name: 'test', version: '1.0.0' };

export const generations = {
  'sdk 1': () => ({ client: new OlderClient(identity), Transport: OlderTransport }),
  'client 2, as of 2025': () => ({ client: new Client(identity), Transport: StdioClientTransport }),
  'client 2, as of 2026': () => ({
    client: new Client(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    Transport: StdioClientTransport,
  }),
};

export type Generation = keyof typeof generations;

/** Runs `vals mcp` in this process, which is fast. */
export function connectAgent(args: readonly string[], options: Options = {}): Promise<AgentClient> {
  const home = options.home ?? temporaryFolder();
  const client = new Client(identity);
  const input = new PassThrough();
  let ended: Promise<unknown> = Promise.resolve();
  const transport: Transport = {
    async start() {
      let read = 0;
      const heard = ({ stdout }: { stdout: string }) => {
        for (let end = stdout.indexOf('\n', read); end >= 0; end = stdout.indexOf('\n', read)) {
          transport.onmessage?.(JSON.parse(stdout.slice(read, end)));
          read = end + 1;
        }
      };
      const env = environment(home, options.env);
      const running = inProcess(['mcp', ...args], { env, cwd: options.cwd ?? home, input, heard });
      ended = running.then(() => transport.onclose?.());
    },
    async send(message) {
      input.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      input.end();
      await ended;
    },
  };
  return connected(client, transport);
}

export async function startAgent(
  args: readonly string[],
  options: Options,
  generation: Generation = 'client 2, as of 2025',
): Promise<AgentClient> {
  const { client, Transport } = generations[generation]();
  const home = options.home ?? temporaryFolder();
  const transport = new Transport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    cwd: options.cwd ?? home,
    env: environment(home, options.env),
    stderr: 'ignore',
  });
  return connected(client, transport);
}

async function connected(client: Client | OlderClient, transport: Transport): Promise<AgentClient> {
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    listTools: async () => (await client.listTools()).tools,
    async call(name, input = {}, options = {}) {
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

export async function agentOnService(
  args: readonly string[] = [],
  options: Omit<Options, 'env'> = {},
): Promise<AgentClient> {
  const { env } = await serviceInProcess();
  return connectAgent(args, { ...options, env });
}

export function rawAgent(args: readonly string[], { env, cwd, home = temporaryFolder() }: Options = {}) {
  const child = spawn(process.execPath, [program, 'mcp', ...args], {
    env: environment(home, env),
    cwd: cwd ?? home,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => {});
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const ended = once(child, 'close');
  const send = (message: object) =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    lines,
    stderr: () => stderr,
    write: (text: string) => void child.stdin.write(text),
    send,
    callTool: (id: number, name: unknown, input: object = {}) =>
      send({ id, method: 'tools/call', params: { name, arguments: input, _meta: { progressToken: id } } }),
    async answerTo(id: number): Promise<Record<string, unknown>> {
      for (;;) {
        const line = lines.find((each) => JSON.parse(each).id === id);
        if (line !== undefined) return JSON.parse(line);
        await Promise.race([
          once(reader, 'line'),
          ended.then(() => Promise.reject(new Error(`ended: ${stderr}`))),
        ]);
      }
    },
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    async end(): Promise<number | null> {
      child.stdin.end();
      const [exit] = await ended;
      return exit;
    },
    ended: ended.then(([exit]): number | null => exit),
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
