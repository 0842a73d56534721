import type { Clock } from '../lib/clock.ts';
import type { WriteHints } from '../lib/hint.ts';
import type { System } from '../lib/system.ts';
import { createMessages, type Messages } from './messages.ts';
import type { Pager } from './pager.ts';
import { createProgress } from './progress.ts';
import type { Redactor } from './redactor.ts';
import { createSink, type Sink } from './streams.ts';
import { type Glyphs, glyphsFor, showsUnicode, wantsColor } from './style.ts';

export interface OutputStreams {
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

export interface OutputFlags {
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
  quiet: boolean;
}

export interface Output {
  stdout: Sink;
  redactor: Redactor;
  messages: Messages;
  format: Format;
  writeHints: WriteHints;
  now: Clock['now'];
}

export function createOutput(streams: OutputStreams, flags: OutputFlags): Output {
  const { env, system, signal, pager, redactor, writeHints } = streams;
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
    now: streams.clock.now,
  });
  return { stdout, redactor, messages, format, writeHints, now: streams.clock.now };
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
