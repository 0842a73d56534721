import { commandsOf, type LoadedCommand, loadTree, pathsOf } from './cli/command-tree.ts';
import { completionRequest } from './cli/completion/scripts.ts';
import type { Context, Permissions } from './cli/context.ts';
import { createContext } from './cli/create-context.ts';
import type { Host } from './cli/host.ts';
import { type CommandCall, type CommandLine, parseCommandLine } from './cli/parse-command-line.ts';
import { resolveVals } from './cli/resolve-vals.ts';
import { createShellHints } from './cli/shell-hints.ts';
import { commandTree } from './commands/index.ts';
import { asValsError, InterruptedError, LocalError, type ValsError, withHintTexts } from './errors.ts';
import { systemClock } from './lib/clock.ts';
import { hintList } from './lib/hint.ts';
import { changedSomething, countOutcomes } from './lib/outcome.ts';
import { listenForSignals } from './lib/signals.ts';
import { visible } from './lib/visible.ts';
import { createOutput, type Output } from './terminal/output.ts';
import { render } from './terminal/render.ts';
import type { OutcomesResult, Result } from './terminal/result.ts';
import { createRedactor, ReaderGone, widthOf } from './terminal/streams.ts';
import { createStyle, withBoldTitles } from './terminal/style.ts';

export const commandPaths = (): string[] => pathsOf(commandTree);

const maxHelpWidth = 80;

export async function main(host: Host): Promise<number> {
  const line = await parse(host);
  const output = createOutput(host, line.flags, shellHintsFor(line, host));
  const error = await runAndCatch(line, host, output);
  if (error !== undefined) output.messages.error(error);
  await output.messages.finish();
  return error?.exit ?? 0;
}

const shellHintsFor = (line: CommandLine, { system }: Host) =>
  createShellHints({
    tree: commandTree,
    platform: system.platform,
    current: line.kind === 'command' ? line.command : undefined,
  });

async function runAndCatch(line: CommandLine, host: Host, output: Output): Promise<ValsError | undefined> {
  try {
    if (line.kind === 'refused') throw line.error;
    if (line.kind === 'command') await run(line, host, output);
    else await output.stdout.write(withBoldTitles(line.text, await createStyle(output.format.color)));
    return undefined;
  } catch (error) {
    return error instanceof ReaderGone ? undefined : asValsError(error);
  } finally {
    output.progress.stop();
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

async function run({ command, input, flags }: CommandCall, host: Host, output: Output): Promise<void> {
  const { messages } = output;
  const serveAgents = async (context: Context, permissions: Permissions) => {
    const { serveAgents } = await import('./agents/serve-agents.ts');
    const commands = {
      all: commandsOf(await loadTree(commandTree)),
      run: (call: CommandCall, toolHost: Partial<Host>, toolOutput: Output) =>
        runAndCatch({ kind: 'command', ...call }, { ...host, ...toolHost, services }, toolOutput),
    };
    await serveAgents(context, { permissions, commands, stdout: host.stdout });
  };
  const { context, services, close } = createContext(host, flags, output, serveAgents);
  const show = async (result: Result) => {
    await messages.flush();
    if (output.receive !== undefined) return output.receive(result);
    if (result.kind === 'outcomes')
      result = { ...result, rows: await withHintTexts(result.rows, output.hints.write) };
    await render(result, {
      output,
      columns: command.columns,
      now: host.clock.now(),
      given: new Set(Object.keys(input).filter((key) => input[key] !== undefined)),
      empty: command.empty ?? 'The list is empty.',
    });
  };
  try {
    const result = await command.run(context, await resolveVals(command, input, context));
    if (!mayHaveFailed(result)) return await show(result);
    if (result.kind === 'outcomes' && command.jobSummary)
      await writeJobSummary(command, result, host, output);
    if (result.error === undefined) {
      const rows = result.kind === 'outcomes' ? result.rows : [];
      if (changedSomething(rows)) context.say.done(`${countOutcomes(rows)}.`);
      return await show(result);
    }
    await show(result).catch(ignoreReaderGone);
    throw result.error;
  } finally {
    output.progress.stop();
    await close();
  }
}

type Failable = Extract<Result, { error?: ValsError | undefined }>;

const mayHaveFailed = (result: Result): result is Failable =>
  ['outcomes', 'record', 'diffs', 'list'].includes(result.kind);

async function writeJobSummary(
  { path, columns }: LoadedCommand,
  { rows }: OutcomesResult,
  { env }: Host,
  { redactor, messages }: Output,
): Promise<void> {
  const file = env.GITHUB_ACTIONS === 'true' ? env.GITHUB_STEP_SUMMARY : undefined;
  if (!file) return;
  const { appendJobSummary } = await import('./terminal/job-summary.ts');
  await appendJobSummary(file, path, rows, columns, redactor.redact).catch((error: Error) =>
    messages.warn(`The job summary could not be written: ${error.message}`),
  );
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

function otherRuntime(): string | undefined {
  if (process.versions.bun !== undefined) return 'Bun';
  return process.versions.deno === undefined ? undefined : 'Deno';
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
    node: { path: process.execPath, version: process.versions.node, otherThanNode: otherRuntime() },
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
