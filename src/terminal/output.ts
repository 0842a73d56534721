// The two streams of one invocation, and how it writes to them: the format is decided here, once.

import { beforeInterruptible, interruptible } from '../lib/signals.ts';
import { type Glyphs, glyphsFor, showsUnicode } from './glyphs.ts';
import { understandsLinks } from './link.ts';
import { createMessages, type Messages } from './messages.ts';
import type { Pager } from './pager.ts';
import { createProgress, type ProgressLine } from './progress.ts';
import { createRedactor, createSink, type Redactor, type Sink } from './streams.ts';
import { wantsColor } from './style.ts';

export interface OutputStreams {
  env: NodeJS.ProcessEnv;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  signal: AbortSignal;
  pager?: Pager;
}

/** What the user may ask of the output. */
interface OutputFlags {
  json?: boolean;
  ndjson?: boolean;
  fields?: string[];
  quiet?: boolean;
  color?: boolean;
  /** False where no pager is wanted. */
  pager?: boolean;
}

export interface Format {
  kind: 'json' | 'ndjson' | 'text';
  fields: string[] | undefined;
  color: boolean;
  /** Whether text is laid out for a screen: at a terminal, or in a pipe that leads to one by --color. */
  screen: boolean;
  /** Whether a person reads the result as text, so that it may be arranged for the eye. */
  forPerson: boolean;
  glyphs: Glyphs;
  /** Whether the terminal makes links of addresses. */
  links: boolean;
}

export interface Output {
  stdout: Sink;
  stderr: Sink;
  redactor: Redactor;
  progress: ProgressLine;
  messages: Messages;
  format(): Format;
  /** Does what may take long and may end half-way, unless something was written that has to be told first. */
  endable<T>(work: () => T | Promise<T>): Promise<T>;
  /** How to find out whether something was written. */
  watchWrites(hasWritten: () => boolean): void;
  /** Called once the command line is understood; until then its words are taken at face value. */
  follow(flags: OutputFlags): void;
}

export function createOutput(
  { env, signal, pager, ...streams }: OutputStreams,
  argv: readonly string[],
): Output {
  const redactor = createRedactor();
  redactor.add(env.VALS_TOKEN?.trim());
  let hasWritten = () => false;
  const endable = async <T>(work: () => T | Promise<T>): Promise<T> =>
    hasWritten() ? work() : interruptible(work);
  const stdout = createSink(streams.stdout, 'Standard output', redactor, {
    env,
    beforeWriting: () => progress.stop(),
    endable,
    signal,
    page: async (text) => flags.pager !== false && pager !== undefined && (await pager(text)),
  });
  const stderr = createSink(streams.stderr, 'stderr', redactor, { env });
  const glyphs = glyphsFor(env);
  let flags: OutputFlags = {
    json: argv.includes('--json'),
    ndjson: argv.includes('--ndjson'),
    quiet: argv.includes('--quiet'),
    ...(argv.includes('--color') && { color: true }),
    ...(argv.includes('--no-color') && { color: false }),
  };
  const progress = createProgress(
    streams.stderr,
    () => canDrawOn(streams.stderr, env) && !flags.quiet,
    showsUnicode(env),
    () => wantsColor(flags.color, env, stderr),
  );
  beforeInterruptible(() => progress.pause());
  const format = (): Format => {
    const kind = flags.ndjson ? 'ndjson' : flags.json ? 'json' : 'text';
    const screen = stdout.isTerminal || flags.color === true;
    return {
      kind,
      fields: flags.fields,
      // Elsewhere a variable of the environment would change what a pipe gets.
      color: screen && wantsColor(flags.color, env, stdout),
      screen,
      forPerson: screen && kind === 'text',
      glyphs,
      links: understandsLinks(env),
    };
  };
  const messages = createMessages(stderr, redactor, () => ({
    json: format().kind !== 'text',
    color: wantsColor(flags.color, env, stderr),
    quiet: flags.quiet === true,
    atTerminal: stderr.isTerminal && stdout.isTerminal,
    glyphs,
    clearProgress: () => progress.clear(),
  }));
  return {
    stdout,
    stderr,
    redactor,
    progress,
    messages,
    format,
    endable,
    watchWrites(known) {
      hasWritten = known;
    },
    follow(understood) {
      flags = understood;
    },
  };
}

/** In CI no person watches, and a terminal that does not know its width would have lines counted without end. */
const canDrawOn = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && stream.columns > 0 && !env.CI && env.TERM !== 'dumb';
