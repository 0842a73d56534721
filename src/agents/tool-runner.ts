import { setMaxListeners } from 'node:events';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { Context, Effect, Host, LoadedCommand } from '../core/command-line/command.ts';
import { runCommand } from '../core/command-line/run.ts';
import { createHintWriter } from '../core/command-line/write-hints.ts';
import { InterruptedError, ValsError } from '../core/errors.ts';
import { findRoot } from '../core/files/root.ts';
import { existingRealPath } from '../core/lib/paths.ts';
import { homeDirectory } from '../core/lib/system.ts';
import type { Redactor } from '../core/lib/visible.ts';
import { createSlots, type Slots } from '../core/lib/waiting.ts';
import type { Flags, Settings } from '../core/settings/settings.ts';
import { checkToolInput, type ToolInput } from './tool-input.ts';
import { createToolOut, type ToolResult } from './tool-out.ts';
import type { AgentPermissions } from './tools.ts';

export interface CallOptions {
  signal: AbortSignal;
  onProgress(message: string): void;
}

export interface ToolRunnerOptions {
  permissions: AgentPermissions;
  redactor: Redactor;
  log(line: string): void;
}

const mostReaders = 4;
const mostRuns = 4;

export type ToolRunner = (
  command: LoadedCommand,
  rawInput: ToolInput,
  call: CallOptions,
) => Promise<ToolResult>;

export function createToolRunner(
  server: Context,
  { permissions, redactor, log }: ToolRunnerOptions,
): ToolRunner {
  const { settings, flags } = server;
  const { signal: serverSignal } = server.host;
  const { platform } = settings.system;
  const writeHints = createHintWriter({ platform, flags });
  // Without GITHUB_ACTIONS, the calls of an agent do not appear in the summary of a GitHub job.
  const env = { ...server.host.env, GITHUB_ACTIONS: undefined };
  const changing = createSlots(1);
  const slots: Record<Effect, Slots> = {
    reads: createSlots(mostReaders),
    runs: createSlots(mostRuns),
    adds: changing,
    updates: changing,
    deletes: changing,
  };

  return async (command, rawInput, { signal: callSignal, onProgress }) => {
    const { redact } = redactor;
    const out = createToolOut({ writeHints, log, redact, onProgress });
    const controller = new AbortController();
    const { signal } = controller;
    setMaxListeners(0, signal);
    const abort = () => controller.abort(new InterruptedError(130, 'The call was cancelled.'));
    const causes = [callSignal, serverSignal];
    for (const cause of causes) cause.addEventListener('abort', abort);
    if (causes.some(({ aborted }) => aborted)) abort();
    try {
      const { input, code } = checkToolInput(command, rawInput, permissions);
      const host: Host = {
        ...server.host,
        env,
        signal,
        stdin: () => Readable.from(code === '' ? [] : [Buffer.from(code)]),
        agent: {
          filesBelow: foldersForFiles(settings),
          forbiddenFolders: tokenFolders(settings),
          mayPublish: permissions.allowPublic === true,
        },
        redactor,
      };
      const failure = await slots[command.effect].run(() => {
        signal.throwIfAborted();
        return runCommand({ command, input }, { ...server, host, flags: flagsForTools(flags), out });
      });
      return await out.toolResult(failure);
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      return await out.toolResult(error);
    } finally {
      for (const cause of causes) cause.removeEventListener('abort', abort);
    }
  };
}

const flagsForTools = ({ baseUrl, local, timeout, debug, allowHttp }: Flags): Flags => ({
  baseUrl,
  local,
  timeout,
  debug,
  allowHttp,
  json: true,
});

/** None in / and in the home folder, so that an agent cannot use all files of the user. */
export function foldersForFiles({ cwd }: Settings): string[] {
  const root = findRoot(cwd);
  if (root !== undefined) return [root];
  const isHome = existingRealPath(homeDirectory()) === cwd;
  return isHome || cwd === dirname(cwd) ? [] : [cwd];
}

/** The folders that hold the token. */
const tokenFolders = ({
  configDirectory,
  dataDirectory,
}: Pick<Settings, 'configDirectory' | 'dataDirectory'>): string[] =>
  [configDirectory, dataDirectory].flatMap((folder) => folder?.value ?? []);
