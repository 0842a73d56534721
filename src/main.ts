// One invocation: parse, run, render, and the only place where an error becomes an exit code.

import { BatchFailed } from './cli/batch.ts';
import { type Context, Differences, type Result } from './cli/command.ts';
import { parseCommandLine, pathsOf } from './cli/commander.ts';
import type { Connection } from './cli/connection.ts';
import { resolveVals } from './cli/resolve-vals.ts';
import { commandTree } from './commands/index.ts';
import { BugError, InterruptedError, ValsError } from './errors.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { beforeInterruptible, hearSignals, interruptible } from './lib/signals.ts';
import { createSettings, type Flags } from './settings/settings.ts';
import { visible, visibleLines } from './terminal/escape.ts';
import { understandsLinks } from './terminal/link.ts';
import { createProgress } from './terminal/progress.ts';
import { createPrompt } from './terminal/prompt.ts';
import { render } from './terminal/render.ts';
import { createReporter } from './terminal/report.ts';
import { createRedactor, createSink, ReaderGone } from './terminal/streams.ts';
import { createStyle, wantsColor, withBoldTitles } from './terminal/style.ts';

/** What an invocation has of the world. */
export interface Host {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Opening it costs time, so only what reads it asks for it. */
  stdin: () => NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Aborted with an InterruptedError when the process is told to end. */
  signal: AbortSignal;
  clock: Clock;
}

/** What the build renders help for. */
export const commandPaths = pathsOf(commandTree);

/** Whether this process got as far as a service, and so has run most of the program. */
export let reachedService = false;

/** Longer lines are hard to read, however wide the terminal is. */
const widestHelp = 80;

export async function main(host: Host): Promise<number> {
  const { argv, env, stdin, signal, clock } = host;
  const redactor = createRedactor();
  redactor.add(env.VALS_TOKEN?.trim());
  const stdout = createSink(host.stdout, 'Standard output', redactor, {
    beforeWriting: () => progress.stop(),
    endable,
    signal,
  });
  const stderr = createSink(host.stderr, 'stderr', redactor);
  // Until the command line is understood, its words are taken at face value.
  let flags: Flags = {
    json: argv.includes('--json') || argv.includes('--ndjson'),
    quiet: argv.includes('--quiet'),
  };
  const progress = createProgress(host.stderr, () => canDrawOn(host.stderr, env) && !flags.quiet);
  const reporter = createReporter(stderr, redactor, () => ({
    json: Boolean(flags.json || flags.ndjson),
    color: wantsColor(flags.color, env, stderr),
    quiet: flags.quiet === true,
    atTerminal: stderr.isTerminal && stdout.isTerminal,
    makeRoom: () => progress.clear(),
  }));
  let connection: Connection | undefined;
  beforeInterruptible(() => progress.pause());
  /** What was done is told before anything else; where nothing was, there is nothing to lose. */
  async function endable<T>(work: () => T | Promise<T>): Promise<T> {
    return connection?.hasWritten() ? work() : interruptible(work);
  }

  async function invoke(): Promise<void> {
    const helpWidth = stdout.isTerminal ? Math.min(stdout.width, widestHelp) : widestHelp;
    const line = parseCommandLine(argv, commandTree, helpWidth);
    if ('help' in line) {
      const color = argv.includes('--no-color') ? false : wantsColor(undefined, env, stdout);
      return stdout.write(withBoldTitles(line.help, await createStyle(color)));
    }
    flags = line.flags;
    const { command } = line;
    const settings = createSettings(flags, env, reporter.warn);
    const trace = settings.debug.value ? reporter.trace : () => {};

    /** How the user named vals, by their ids. */
    const words = new Map<string, string>();
    const context: Context = {
      flags,
      settings,
      env,
      stdin,
      signal,
      clock,
      wordFor: (id) => words.get(id),
      forPerson: stdout.isTerminal && !flags.json && !flags.ndjson,
      prompt: createPrompt(stdin, host.stderr, signal),
      progress,
      warn: reporter.warn,
      hint: reporter.hint,
      annotate: reporter.annotate,
      async openLog() {
        const { createLog } = await import('./terminal/log.ts');
        const { write, close } = createLog(host.stderr);
        return {
          write: (line) => flags.quiet || write(`${visible(redactor.redact(line))}\n`),
          close,
        };
      },
      print: (line) => new Promise((resolve) => host.stdout.write(`${line}\n`, () => resolve())),
      event: async (record, columns) => {
        if (flags.ndjson || flags.fields) return show([record]);
        const { eventLine } = await import('./terminal/event-line.ts');
        await stdout.write(await eventLine(record, columns, stdout.isTerminal, look()));
      },
      banner: (lines) => void (stderr.isTerminal && !flags.quiet && host.stderr.write(visibleLines(lines))),
      async connect(options) {
        const { openConnection } = await import('./cli/connection.ts');
        progress.show('Waiting for the service');
        connection = await openConnection({
          signal,
          ...options,
          settings,
          clock,
          trace,
          redactor,
          notes: {
            circular: () => reporter.warn('The service sends the same records again; the list ends here.'),
            more: () => reporter.hint('There are more: --limit N or --all shows them.'),
            away: ({ message }) => reporter.warn(`${message} It is asked again until it is back.`),
            back: () => reporter.note('The service is back.'),
            gap: () => reporter.warn('The list does not hold still to be read: some records may be missing.'),
          },
        });
        reachedService = true;
        return connection.api;
      },
    };
    const look = () => ({ color: wantsColor(flags.color, env, stdout), redact: redactor.redact });
    const show = async (made: Result | Differences): Promise<void> => {
      const asText = made instanceof Differences && !flags.json && !flags.ndjson && !flags.fields;
      if (asText && (stdout.isTerminal || look().color)) {
        const { paintDiff } = await import('./terminal/diff-text.ts');
        return endable(async () => stdout.write(await paintDiff(made.text, look())));
      }
      const result = made instanceof Differences ? (asText ? made.text : made.rows) : made;
      if (typeof result === 'string' && redactor.redact(result) !== result) {
        reporter.warn('The text holds your token. It is printed without it, so not byte for byte.');
      }
      return render(result, stdout, {
        format: flags.ndjson ? 'ndjson' : flags.json ? 'json' : 'text',
        fields: flags.fields,
        columns: command.columns,
        links: understandsLinks(env),
        color: look().color,
        redactor,
        now: clock.now(),
        endable,
        onEmpty: () => reporter.hint(command.empty ?? 'Nothing there.'),
      });
    };
    const summarize = async <Made extends Result | Differences>(result: Made): Promise<Made> => {
      const file = env.GITHUB_ACTIONS === 'true' ? env.GITHUB_STEP_SUMMARY : undefined;
      if (!command.jobSummary || !file || !Array.isArray(result)) return result;
      const { appendJobSummary } = await import('./terminal/job-summary.ts');
      await appendJobSummary(file, command.path, result, command.columns, redactor.redact).catch(
        (error: Error) => reporter.warn(`The job summary could not be written: ${error.message}`),
      );
      return result;
    };
    try {
      const input = await resolveVals(command, line.input, settings, (word, id) => words.set(id, word));
      await show(await summarize(await command.run(context, input)));
    } catch (error) {
      if (!(error instanceof BatchFailed)) throw error;
      await summarize(error.outcomes);
      await show(error.outcomes).catch(ignoreReaderGone);
      throw error.summary;
    }
  }

  let exit = 0;
  try {
    await invoke();
  } catch (error) {
    progress.stop();
    if (!(error instanceof ReaderGone)) {
      const known = asValsError(error);
      reporter.error(known);
      exit = known.exit;
    }
  } finally {
    progress.stop();
    await connection?.close();
  }
  await reporter.finish();
  return exit;
}

/** In CI nobody watches, and a terminal that does not know its width would have lines counted without end. */
const canDrawOn = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && stream.columns > 0 && !env.CI && env.TERM !== 'dumb';

function asValsError(error: unknown): ValsError {
  if (error instanceof ValsError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new BugError(`Unexpected: ${message}`, {
    hint: 'This is a defect of vals. Report it with the command that you ran and the output of --debug.',
    cause: error,
  });
}

function ignoreReaderGone(error: unknown): void {
  if (!(error instanceof ReaderGone)) throw error;
}

/** The process as a host: signals abort, and the exit code is set, never forced, so that pipes drain. */
export async function runProcess(): Promise<void> {
  const { argv, env, stdout, stderr } = process;
  const signal = hearSignals((exit) => new InterruptedError(exit));
  process.on('uncaughtException', (error) => {
    const { message, facts } = asValsError(error);
    stderr.write(`error: ${message}\n${facts.hint ? `hint: ${facts.hint}\n` : ''}`);
    process.exitCode = 1;
  });
  const exit = await main({
    argv: argv.slice(2),
    env,
    stdin: () => process.stdin,
    stdout,
    stderr,
    signal,
    clock: systemClock,
  });
  process.exitCode ||= exit;
}
