import { commandsOf, loadTree, pathsOf } from './cli/command-tree.ts';
import { completionRequest } from './cli/completion/scripts.ts';
import type { AgentPermissions, Context } from './cli/context.ts';
import { createContext } from './cli/create-context.ts';
import type { Host } from './cli/host.ts';
import { type CommandCall, type CommandLine, parseCommandLine } from './cli/parse-command-line.ts';
import { resolveVals } from './cli/resolve-vals.ts';
import { createShellHints } from './cli/shell-hints.ts';
import { readWordsFromInput } from './cli/words-from-input.ts';
import { commandTree } from './commands/index.ts';
import { asValsError, InterruptedError, LocalError, type ValsError } from './errors.ts';
import { systemClock } from './lib/clock.ts';
import { hintList } from './lib/hint.ts';
import { changedSomething, countOutcomes } from './lib/outcome.ts';
import { listenForSignals } from './lib/signals.ts';
import { visible } from './lib/visible.ts';
import type { Stage } from './terminal/presenter.ts';
import { createRedactor } from './terminal/redactor.ts';
import { errorIn, type Result } from './terminal/result.ts';
import { ReaderGone, widthOf } from './terminal/streams.ts';
import { createTerminalStage, type ShownCommand } from './terminal/terminal-presenter.ts';

export const commandPaths = (): string[] => pathsOf(commandTree);

const maxHelpWidth = 80;

/** Parses the command line, runs its command, presents the result, and returns the exit code. */
export async function main(host: Host): Promise<number> {
  const line = await parse(host);
  const shown = line.kind === 'command' ? line : nothingShown;
  const stage = createTerminalStage(host, line.flags, shellHintsFor(line, host), shown);
  const error = await runAndCatch(line, host, stage);
  await stage.presenter.end(error);
  return error?.exit ?? 0;
}

const nothingShown: ShownCommand = { command: { path: '', columns: [] }, input: {} };

const shellHintsFor = (line: CommandLine, { system }: Host) =>
  createShellHints({
    tree: commandTree,
    platform: system.platform,
    current: line.kind === 'command' ? line.command : undefined,
  });

async function runAndCatch(line: CommandLine, host: Host, stage: Stage): Promise<ValsError | undefined> {
  try {
    if (line.kind === 'refused') throw line.error;
    if (line.kind === 'command') await run(line, host, stage);
    else await stage.presenter.result(line);
    return undefined;
  } catch (error) {
    return error instanceof ReaderGone ? undefined : asValsError(error);
  }
}

async function parse(host: Host): Promise<CommandLine> {
  const { argv, stdout, env } = host;
  const [request, ...words] = argv;
  if (request === completionRequest) {
    const { completionReply } = await import('./cli/completion/reply.ts');
    return { kind: 'help', text: await completionReply(words, commandTree, host), flags: { color: false } };
  }
  const width = stdout.isTTY ? Math.min(widthOf(stdout, env), maxHelpWidth) : maxHelpWidth;
  return parseCommandLine(argv, commandTree, width);
}

async function run({ command, input, flags }: CommandCall, host: Host, stage: Stage): Promise<void> {
  const { context, services, close } = createContext(host, flags, stage, (context, permissions) =>
    serveTools(context, permissions, { ...host, services }),
  );
  try {
    const words = await readWordsFromInput(command, input, context);
    const result = await command.run(context, await resolveVals(command, words, context));
    const error = errorIn(result);
    if (error === undefined) sumUp(result, context);
    const shown = stage.presenter.result(result);
    await (error === undefined ? shown : shown.catch(ignoreReaderGone));
    if (error !== undefined) throw error;
  } finally {
    stage.presenter.say({ kind: 'progress' });
    await close();
  }
}

function sumUp(result: Result, { say }: Context): void {
  const rows = result.kind === 'outcomes' ? result.rows : [];
  if (changedSomething(rows)) say({ kind: 'done', text: `${countOutcomes(rows)}.` });
}

async function serveTools(context: Context, permissions: AgentPermissions, host: Host): Promise<void> {
  const { serveAgents } = await import('./agents/serve-agents.ts');
  const commands = {
    all: commandsOf(await loadTree(commandTree)),
    async run(call: CommandCall, toolHost: Partial<Host>, stage: Stage) {
      await stage.presenter.end(
        await runAndCatch({ kind: 'command', ...call }, { ...host, ...toolHost }, stage),
      );
    },
  };
  await serveAgents(context, { permissions, commands, stdout: host.stdout });
}

function ignoreReaderGone(error: unknown): void {
  if (!(error instanceof ReaderGone)) throw error;
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new LocalError('The current folder no longer exists.', {
      hint: 'Change to a folder that exists.',
      cause: error,
    });
  }
}

/** This function must not call process.exit(), because output that is not yet written would be lost. */
export async function runProcess({ onConnected }: Pick<Host, 'onConnected'>): Promise<void> {
  const { argv, env, stdout, stderr } = process;
  // If an address on the command line contains a password, a new process.title hides the command line from `ps`.
  if (argv.some((word) => /:\/\/[^/@]*:[^/@]+@|[?&]password=/.test(word))) process.title = 'vals';
  // A umask that removes permissions of the owner would make folders that not even the owner can use.
  process.umask(process.umask() & 0o077);
  let isPaging = false;
  const signal = listenForSignals(
    (exit) => new InterruptedError(exit),
    (name) => !(isPaging && name === 'SIGINT'),
  );
  const redactor = createRedactor();
  const reportDefect = (error: unknown) => {
    const { message, facts } = asValsError(error);
    const shown = visible(redactor.redact(message));
    const hints = hintList(facts.hint).map(({ text }) => `hint: ${text}\n`);
    stderr.write(`error: ${shown}\n${hints.join('')}`);
    process.exitCode = 1;
  };
  process.on('uncaughtException', reportDefect);
  // Without this listener, Node would end silently with exit code 0 if a promise never resolves.
  const endedEarly = () => reportDefect(new Error('the command waits for something that never happens.'));
  process.once('beforeExit', endedEarly);
  const exit = await main({
    argv: argv.slice(2),
    env,
    system: { platform: process.platform, uid: process.getuid?.() },
    get cwd() {
      return workingDirectory();
    },
    stdin: () => process.stdin,
    stdout,
    stderr,
    redactor,
    signal,
    clock: systemClock,
    node: { path: process.execPath, version: process.versions.node },
    async pager(text) {
      const { page } = await import('./terminal/pager.ts');
      isPaging = true;
      const isShown = await page(text, { env, signal });
      isPaging = false;
      signal.throwIfAborted();
      return isShown;
    },
    onConnected,
  });
  process.off('beforeExit', endedEarly);
  process.exitCode ||= exit;
}
