import type { ValsError } from '../errors.ts';
import type { Hints, WriteHints } from '../lib/hint.ts';
import type { System } from '../lib/system.ts';
import type { Redactor } from '../lib/visible.ts';
import type { Clock } from '../lib/waiting.ts';
import type { Column } from './column.ts';
import { createMessages, createProgress } from './messages.ts';
import type { Out } from './out.ts';
import { render, renderRow } from './render.ts';
import { createScreen, outputError, ReaderGone, type Screen } from './screen.ts';
import { glyphsFor, wantsColor, withBoldTitles } from './style.ts';

interface OutputStreams {
  env: NodeJS.ProcessEnv;
  system: System;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  redactor: Redactor;
  writeHints: WriteHints;
  signal: AbortSignal;
  clock: Clock;
}

interface OutputFlags {
  json?: boolean;
  ndjson?: boolean;
  fields?: string[];
  quiet?: boolean;
  color?: boolean;
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
  { json, ndjson, fields, quiet = false, color }: OutputFlags,
  { columns, empty }: ShownCommand,
): TerminalOut {
  const { env, system, signal, redactor, writeHints, clock } = streams;
  const { redact, redactPieces } = redactor;
  redactor.add(env.VALS_TOKEN?.trim());
  const colorOn = (stream: NodeJS.WriteStream) =>
    wantsColor(color, env, { isTerminal: stream.isTTY === true });
  const hasLayout = streams.stdout.isTTY === true || color === true;
  const kind = kindOf(ndjson, json);
  const options = {
    ...{ env, redact, redactPieces, writeHints, kind, fields },
    forPerson: hasLayout && kind === 'text',
    glyphs: glyphsFor(env, system),
    now: clock.now,
  };
  const colorOnStderr = colorOn(streams.stderr);
  const stderr = createScreen(streams.stderr, { ...options, name: 'stderr', color: colorOnStderr });
  const progress = createProgress(streams.stderr, {
    enabled: canDrawOn(streams.stderr, env) && !quiet,
    spinner: stderr.glyphs.spinner,
    color: colorOnStderr,
    signal,
  });
  const stdout = createScreen(streams.stdout, {
    ...{ ...options, name: standardOutput, signal },
    color: hasLayout && colorOn(streams.stdout),
    beforeWriting: progress.hide,
  });
  const messages = createMessages(stderr, { result: stdout, quiet, progress });
  const { say } = messages;
  const layout = { columns, ...(empty && { emptyHint: empty }) };
  return {
    ...messages,
    flush() {
      progress.hide();
      return messages.flush();
    },
    forPerson: stdout.forPerson,
    redact,
    async show(result) {
      await messages.flush();
      await render({ ...layout, ...result }, stdout, say);
    },
    async row(record, columns) {
      await messages.flush();
      await renderRow(record, columns, stdout, say);
    },
    help: async (text) => stdout.write(withBoldTitles(text, await stdout.style())),
    print: (line) =>
      new Promise((resolve, reject) => {
        streams.stdout.write(`${line}\n`, (error) => {
          const failure = error ? outputError(error, standardOutput) : undefined;
          // A reader that has gone may have read the line, so the command goes on.
          if (failure === undefined || failure instanceof ReaderGone) resolve();
          else reject(failure);
        });
      }),
  };
}

function kindOf(ndjson = false, json = false): Screen['kind'] {
  if (ndjson) return 'ndjson';
  return json ? 'json' : 'text';
}

const standardOutput = 'Standard output';

/** In CI, nobody watches the progress. On a terminal of unknown width, the spinner cannot be erased. */
const canDrawOn = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && stream.columns > 0 && !env.CI && env.TERM !== 'dumb';
