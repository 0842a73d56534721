import { setMaxListeners } from 'node:events';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { Effect, LoadedCommand } from '../cli/command-tree.ts';
import type { AgentPermissions, Context } from '../cli/context.ts';
import type { Host } from '../cli/host.ts';
import type { CommandCall } from '../cli/parse-command-line.ts';
import { InterruptedError, ValsError } from '../errors.ts';
import { existingRealPath } from '../lib/paths.ts';
import { createSlots, type Slots } from '../lib/slots.ts';
import type { Stage } from '../terminal/presenter.ts';
import type { Redactor } from '../terminal/redactor.ts';
import { findRoot } from '../workspace/disk/root.ts';
import { tokenFolders } from '../workspace/sources/within.ts';
import { createToolHints } from './tool-hints.ts';
import { checkToolInput, type ToolInput } from './tool-input.ts';
import { createToolStage, type ToolResult } from './tool-presenter.ts';

export interface CallOptions {
  signal: AbortSignal;
  onProgress(message: string): void;
}

export interface Commands {
  all: readonly LoadedCommand[];
  run(call: CommandCall, host: Partial<Host>, stage: Stage): Promise<void>;
}

export interface ToolRunnerOptions {
  permissions: AgentPermissions;
  commands: Commands;
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
  context: Context,
  { permissions, commands, ...options }: ToolRunnerOptions,
): ToolRunner {
  const { settings, signal: serverSignal } = context;
  const { platform } = settings.system;
  // Without GITHUB_ACTIONS, the calls of an agent do not appear in the summary of a GitHub job.
  const env = { ...context.env, GITHUB_ACTIONS: undefined };
  const changing = createSlots(1);
  const slots: Record<Effect, Slots> = {
    reads: createSlots(mostReaders),
    runs: createSlots(mostRuns),
    adds: changing,
    updates: changing,
    deletes: changing,
  };

  return async (command, rawInput, { signal: callSignal, onProgress }) => {
    const hints = createToolHints({ commands: commands.all, permissions, platform, current: command });
    const stage = createToolStage({ ...options, hints, onProgress });
    const controller = new AbortController();
    const { signal } = controller;
    setMaxListeners(0, signal);
    const abort = () => controller.abort(new InterruptedError(130, 'The call was cancelled.'));
    const causes = [callSignal, serverSignal];
    for (const cause of causes) cause.addEventListener('abort', abort);
    if (causes.some(({ aborted }) => aborted)) abort();
    try {
      const { input, code } = checkToolInput(command, rawInput, permissions);
      const host = {
        env,
        signal,
        stdin: () => Readable.from(code === '' ? [] : [Buffer.from(code)]),
        agent: { filesBelow: folderForFiles(settings), forbiddenFolders: tokenFolders(settings) },
      };
      await slots[command.effect].run(() => {
        signal.throwIfAborted();
        return commands.run({ command, input, flags: flagsForTools(context) }, host, stage);
      });
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      await stage.presenter.end(error);
    } finally {
      for (const cause of causes) cause.removeEventListener('abort', abort);
    }
    return stage.toolResult();
  };
}

const flagsForTools = ({ flags }: Context): Context['flags'] => {
  const { baseUrl, local, timeout, debug, allowHttp } = flags;
  return { baseUrl, local, timeout, debug, allowHttp, json: true };
};

export function folderForFiles(settings: Context['settings']): string | undefined {
  const { cwd } = settings;
  const root = findRoot(cwd);
  if (root !== undefined) return root;
  const isHome = existingRealPath(homedir()) === cwd;
  // In / and in the home folder, the result is undefined, so that an agent cannot use all files of the user.
  return isHome || cwd === dirname(cwd) ? undefined : cwd;
}
