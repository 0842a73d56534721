import type { ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Hints, WriteHints } from '../lib/hint.ts';
import type { System } from '../lib/system.ts';
import type { Column } from './column.ts';
import { createMessages } from './messages.ts';
import type { Out } from './out.ts';
import type { Format, Output } from './output.ts';
import type { Pager } from './pager.ts';
import { createProgress } from './progress.ts';
import type { Redactor } from './redactor.ts';
import { render, renderHelp, renderRow } from './render.ts';
import { createSink, type Sink } from './streams.ts';
import { glyphsFor, showsUnicode, wantsColor } from './style.ts';

interface OutputStreams {
  env: NodeJS.ProcessEnv;
  system: System;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  redactor: Redactor;
  writeHints: WriteHints;
  signal: AbortSignal;
  clock: Clock;
  pager?: Pager;
}

interface OutputFlags {
  json?: boolean;
  ndjson?: boolean;
  fields?: string[];
  quiet?: boolean;
  color?: boolean;
  pager?: boolean;
}

/** What the layout of a result depends on. */
export interface ShownCommand {
  columns: readonly Column[];
  empty?: Hints;
}

export interface TerminalOut extends Out {
  /** Headings of the text are bold at a terminal. */
  help(text: string): Promise<void>;
  /** The command has ended, perhaps with an error. */
  end(error?: ValsError): Promise<void>;
}

/** Shows results on stdout, and everything else on stderr: at a terminal for a person, in a pipe for a program. */
export function createTerminalOut(
  streams: OutputStreams,
  flags: OutputFlags,
  command: ShownCommand,
): TerminalOut {
  const { env, system, signal, pager, redactor, writeHints } = streams;
  const { now } = streams.clock;
  for (const token of [env.VALS_TOKEN, env.VALS_TO_TOKEN]) redactor.add(token?.trim());
  const stderr = createSink(streams.stderr, 'stderr', redactor, { env });
  const stderrColor = wantsColor(flags.color, env, stderr);
  const progress = createProgress(streams.stderr, {
    enabled: canDrawOn(streams.stderr, env) && !flags.quiet,
    unicode: showsUnicode(env, system.platform),
    color: stderrColor,
  });
  // The second Ctrl-C ends the process at once, and the spinner must have shown the cursor again by then.
  signal.addEventListener('abort', () => progress.stop());
  const stdout = createSink(streams.stdout, 'Standard output', redactor, {
    env,
    beforeWriting: () => progress.stop(),
    signal,
    page: flags.pager === false ? undefined : pager,
  });
  const format = createFormat(streams, flags, stdout);
  const messages = createMessages(stderr, {
    json: format.kind !== 'text',
    color: stderrColor,
    quiet: format.quiet,
    atTerminal: stderr.isTerminal && stdout.isTerminal,
    glyphs: format.glyphs,
    redact: redactor.redact,
    writeHints,
    progress,
    now,
  });
  const output: Output = {
    stdout,
    redactor,
    messages,
    format,
    writeHints,
    now,
    columns: command.columns,
    empty: command.empty ?? 'The list is empty.',
  };
  return {
    ...messages,
    forPerson: format.forPerson,
    redact: redactor.redact,
    async show(result) {
      await messages.flush();
      await render(result, output);
    },
    async row(record, columns) {
      await messages.flush();
      await renderRow(record, columns, output);
    },
    help: (text) => renderHelp(text, output),
    print: (line) => new Promise((resolve) => streams.stdout.write(`${line}\n`, () => resolve())),
    async openLog() {
      const { createLog } = await import('./log.ts');
      return createLog(streams.stderr, { quiet: flags.quiet, redact: redactor.redact });
    },
  };
}

function createFormat({ env, system }: OutputStreams, flags: OutputFlags, stdout: Sink): Format {
  const kind = kindOf(flags);
  const hasLayout = stdout.isTerminal || flags.color === true;
  return {
    kind,
    fields: flags.fields,
    color: hasLayout && wantsColor(flags.color, env, stdout),
    forPerson: hasLayout && kind === 'text',
    glyphs: glyphsFor(env, system),
    quiet: flags.quiet === true,
  };
}

function kindOf({ ndjson, json }: OutputFlags): Format['kind'] {
  if (ndjson) return 'ndjson';
  return json ? 'json' : 'text';
}

/** In CI, nobody watches the progress. On a terminal of unknown width, the spinner cannot be erased. */
const canDrawOn = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && stream.columns > 0 && !env.CI && env.TERM !== 'dumb';
