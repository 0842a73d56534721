import { setMaxListeners } from 'node:events';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { Effect, LoadedCommand } from '../cli/command-tree.ts';
import type { Context } from '../cli/context.ts';
import { InterruptedError, ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { existingRealPath } from '../lib/paths.ts';
import { createSlots, type Slots } from '../lib/slots.ts';
import { foreignPath, nearestRootOfAnyUser } from '../workspace/disk/root.ts';
import { tokenFolders } from '../workspace/sources/typed-path.ts';
import { captureOutput } from './captured-output.ts';
import { createToolHints } from './tool-hints.ts';
import type { Permissions, Tool } from './tools.ts';
import { optionsIn, type Wording } from './wording.ts';
import { type Input, wordsFor } from './words.ts';

export interface CallOptions {
  signal: AbortSignal;
  onProgress(message: string): void;
}

export interface Answer {
  document: JsonObject;
  texts: string[];
  isError: boolean;
}

export interface CallerOptions {
  permissions: Permissions;
  wording: Wording;
  commands: readonly LoadedCommand[];
  log(line: string): void;
}

const mostReaders = 4;
const mostRuns = 4;

export type Caller = (command: LoadedCommand, tool: Tool, input: Input, call: CallOptions) => Promise<Answer>;

export function createCaller(
  context: Context,
  { permissions, wording, commands, log }: CallerOptions,
): Caller {
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

  return async (command, tool, input, { signal, onProgress }) => {
    const optionsToKeep = optionsIn(input);
    const captured = captureOutput({
      env,
      hints: createToolHints({
        commands,
        permissions,
        platform: context.settings.system.platform,
        current: command,
        reword: (text) => wording(text, optionsToKeep),
      }),
      log,
      onProgress,
    });
    const interruption = interruptedBy(signal, context.signal);
    try {
      const { argv, stdin } = wordsFor(command, tool, input, permissions);
      const host = {
        argv,
        env,
        signal: interruption.signal,
        stdin: () => Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
        agent: {
          filesBelow: folderForFiles(context.settings),
          forbiddenFolders: tokenFolders(context.settings),
        },
      };
      const error = await slots[command.effect].run(async () => {
        host.signal.throwIfAborted();
        return context.commands.run(host, flagsForEveryTool(context), captured.output);
      });
      return captured.answer(error);
    } catch (error) {
      if (error instanceof ValsError) return captured.answer(error);
      throw error;
    } finally {
      interruption.stopListening();
    }
  };
}

function flagsForEveryTool({
  flags: { baseUrl, local, timeout, debug, allowHttp },
}: Context): Context['flags'] {
  return { baseUrl, local, timeout, debug, allowHttp, json: true };
}

export function folderForFiles(settings: Context['settings']): string | undefined {
  const { cwd } = settings;
  const root = nearestRootOfAnyUser(cwd);
  if (root !== undefined && foreignPath(settings, root) === undefined) return root;
  const isHome = existingRealPath(homedir()) === cwd;
  // In / and in the home folder, the result is undefined, so that an agent cannot use all files of the user.
  return isHome || cwd === dirname(cwd) ? undefined : cwd;
}

function interruptedBy(...signals: AbortSignal[]): { signal: AbortSignal; stopListening(): void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const abort = () => controller.abort(new InterruptedError(130, 'The call was cancelled.'));
  for (const signal of signals) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  }
  return {
    signal: controller.signal,
    stopListening() {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    },
  };
}
