import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import type { Host } from './core/command-line/command.ts';
import { createTree, pathsOf } from './core/command-line/command-tree.ts';
import { completionRequest } from './core/command-line/completion/scripts.ts';
import { type CommandLine, parseCommandLine } from './core/command-line/parse-command-line.ts';
import { catchError, createConnections, runCommand } from './core/command-line/run.ts';
import { createHintWriter } from './core/command-line/write-hints.ts';
import { coreCommands } from './core/commands/core-commands.ts';
import { asValsError, InterruptedError, LocalError, type ValsError } from './core/errors.ts';
import { hintList } from './core/lib/hint.ts';
import { listenForSignals } from './core/lib/signals.ts';
import { createRedactor, type Redactor, visibleLines } from './core/lib/visible.ts';
import { systemClock } from './core/lib/waiting.ts';
import { widthOf } from './core/output/screen.ts';
import { createTerminalOut, type ShownCommand } from './core/output/terminal-out.ts';
import { type Flags, isOn } from './core/settings/settings.ts';
import { features } from './features.ts';

export const commandTree = createTree(coreCommands, features);

export const commandPaths = (): string[] => pathsOf(commandTree);

const maxHelpWidth = 80;

/** Parses the command line, runs its command, shows the result, and returns the exit code. */
export async function main(given: Omit<Host, 'redactor'>, redactor = createRedactor()): Promise<number> {
  const host = { ...given, redactor };
  const line = await parse(host);
  const { flags } = line;
  const connections = createConnections(commandTree.openLocal);
  const call = line.kind === 'command' ? line : undefined;
  const { platform } = host.system;
  const writeHints = createHintWriter({ platform, flags: flagsForHints(flags, host.env) });
  const out = createTerminalOut({ ...host, writeHints }, flags, call?.command ?? noCommand);
  const error = await catchError(async () => {
    if (line.kind === 'refused') throw line.error;
    if (line.kind === 'help') return out.help(line.text);
    try {
      const failure = await runCommand(line, { host, tree: commandTree, connections, flags, out });
      if (failure !== undefined) throw failure;
    } finally {
      await connections.close();
    }
  });
  if (error?.kind === 'bug' && (flags.debug || isOn(host.env.VALS_DEBUG))) {
    for (const text of stackOf(error, host.dist).split('\n')) out.say({ kind: 'trace', text });
  }
  await out.end(error);
  return error?.exit ?? 0;
}

/** Who reads the log of a job on GitHub types the command elsewhere, where another service may be the default. */
const flagsForHints = (flags: Flags, env: NodeJS.ProcessEnv): Flags =>
  env.GITHUB_ACTIONS === 'true' && !flags.local && !isOn(env.VALS_LOCAL)
    ? { ...flags, baseUrl: flags.baseUrl ?? env.VALS_BASE_URL }
    : flags;

async function parse(host: Host): Promise<CommandLine> {
  const { argv, stdout, env } = host;
  const [request, ...words] = argv;
  if (request === completionRequest) {
    const { completionReply } = await import('./core/command-line/completion/reply.ts');
    return { kind: 'help', text: await completionReply(words, commandTree, host), flags: { color: false } };
  }
  const width = stdout.isTTY ? Math.min(widthOf(stdout, env), maxHelpWidth) : maxHelpWidth;
  return parseCommandLine(argv, commandTree, width);
}

const noCommand: ShownCommand = { columns: [] };

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

export async function runProcess({ dist, onConnected }: Pick<Host, 'dist' | 'onConnected'>): Promise<void> {
  const { argv, env, stdout, stderr } = process;
  const signal = listenForSignals((exit) => new InterruptedError(exit));
  const redactor = createRedactor();
  const isDone = reportDefects(dist, redactor);
  const exit = await main(
    {
      argv: argv.slice(2),
      env,
      system: { platform: process.platform, uid: process.getuid?.() },
      cwd: workingDirectory,
      stdin: () => process.stdin,
      stdout,
      stderr,
      signal,
      clock: systemClock,
      node: { path: process.execPath, version: process.versions.node },
      dist,
      onConnected,
    },
    redactor,
  );
  isDone();
  process.exitCode ||= exit;
}

/** Ends the process with a message at an error that nothing catches. Call the result when the work is done. */
export function reportDefects(dist: string, redactor: Redactor): () => void {
  const { argv, env, stderr } = process;
  const report = (error: unknown) => {
    const failure = asValsError(error);
    const { message, facts } = failure;
    const isDebug = argv.includes('--debug') || isOn(env.VALS_DEBUG);
    const text = isDebug ? `${stackOf(failure, dist)}\n${message}` : message;
    const shown = visibleLines(redactor.redact(text));
    const hints = hintList(facts.hint).map((hint) => `hint: ${hint}\n`);
    // A server would otherwise go on after a defect, in a state that nobody knows. Elsewhere process.exit() is avoided,
    // because it loses output that is not yet written.
    stderr.write(`error: ${shown}\n${hints.join('')}`, () => process.exit(1));
  };
  process.on('uncaughtException', report);
  // Without this listener, Node would end silently with exit code 0 if a promise never resolves.
  const endedEarly = () => report(new Error('the command waits for something that never happens.'));
  process.once('beforeExit', endedEarly);
  return () => process.off('beforeExit', endedEarly);
}

/** For --debug. */
export const stackOf = ({ facts, message }: ValsError, dist: string): string =>
  facts.cause instanceof Error ? sourceStack(facts.cause, dist) : message;

/** The stack of an error, with the places of the bundled program `main.js` as places in its source. */
function sourceStack(error: Error, dist: string): string {
  const stack = error.stack ?? String(error);
  const bundle = `${dist}/main.js`;
  if (!stack.includes(bundle)) return stack;
  const map = readMap(`${bundle}.map`);
  return stack
    .split('\n')
    .map((line) => sourceLine(line, bundle, map))
    .join('\n');
}

/** The names of functions are those of the minified program, so a line of the source stands without one. */
function sourceLine(line: string, bundle: string, map: SourceMap | undefined): string {
  const [, number, column] = line.split(bundle)[1]?.match(/^:(\d+):(\d+)/) ?? [];
  if (number === undefined) return line;
  const place = map?.findEntry(Number(number) - 1, Number(column) - 1);
  if (place === undefined || !('originalSource' in place)) return line;
  const file = place.originalSource.replace(/^(?:\.\.\/)+/, '');
  return `    at ${file}:${place.originalLine + 1}:${place.originalColumn + 1}`;
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
