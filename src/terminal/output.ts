import type { HintWriter } from '../lib/hint.ts';
import type { System } from '../lib/system.ts';
import { createMessages, type Messages } from './messages.ts';
import type { Pager } from './pager.ts';
import { createProgress, type ProgressLine } from './progress.ts';
import type { Result } from './result.ts';
import { createRedactor, createSink, type Redactor, type Sink } from './streams.ts';
import { type Glyphs, glyphsFor, showsUnicode, wantsColor } from './style.ts';

export interface OutputStreams {
  env: NodeJS.ProcessEnv;
  system: System;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  redactor?: Redactor;
  signal: AbortSignal;
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

interface Format {
  kind: 'json' | 'ndjson' | 'text';
  fields: string[] | undefined;
  color: boolean;
  /** True for text at a terminal. With --color, also true for text in a pipe. */
  forPerson: boolean;
  glyphs: Glyphs;
}

export interface Output {
  stdout: Sink;
  stderr: Sink;
  redactor: Redactor;
  progress: ProgressLine;
  messages: Messages;
  format: Format;
  hints: HintWriter;
  /** If an agent called the command, this function gets the result, and stdout gets nothing. */
  receive?(result: Result): Promise<void>;
}

export function createOutput(streams: OutputStreams, flags: OutputFlags, hints: HintWriter): Output {
  const { env, system, signal, pager, redactor = createRedactor() } = streams;
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
    quiet: flags.quiet === true,
    atTerminal: stderr.isTerminal && stdout.isTerminal,
    glyphs: format.glyphs,
    redact: redactor.redact,
    writeHints: hints.write,
    clearProgress: () => progress.clear(),
  });
  return { stdout, stderr, redactor, progress, messages, format, hints };
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
  };
}

function kindOf({ ndjson, json }: OutputFlags): Format['kind'] {
  if (ndjson) return 'ndjson';
  return json ? 'json' : 'text';
}

/** In CI, nobody watches the progress. On a terminal of unknown width, the spinner cannot be erased. */
const canDrawOn = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && stream.columns > 0 && !env.CI && env.TERM !== 'dumb';
