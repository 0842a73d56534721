// What is said beside the result, on stderr: warnings at once, hints and the error at the end.
import { describeError, type ValsError } from '../errors.ts';
import { visible } from './escape.ts';
import { jsonText } from './json-text.ts';
import type { Redactor, Sink } from './streams.ts';
import { createStyle, type Style } from './style.ts';

export interface Reporter {
  warn(message: string): void;
  /** Kept until the result is out, and said only to a person. */
  hint(message: string): void;
  /** Neither a warning nor a hint; at once. */
  note(message: string): void;
  trace(line: string): void;
  /** A line for another program that reads stderr, such as a CI runner. */
  annotate(line: string): void;
  error(error: ValsError): void;
  /** Says the hints, and waits until everything is written. */
  finish(): Promise<void>;
}

export interface ReporterOptions {
  json: boolean;
  color: boolean;
  /** No hints, not even with an error. */
  quiet: boolean;
  /** Somebody sits in front of the output. */
  atTerminal: boolean;
  /** Clears a progress line before something is written over it. */
  makeRoom(): void;
}

export function createReporter(stderr: Sink, redactor: Redactor, options: () => ReporterOptions): Reporter {
  const hints: string[] = [];
  let written = Promise.resolve();
  const say = (line: (style: Style) => string) => {
    const write = async () => {
      const text = line(await createStyle(options().color));
      options().makeRoom();
      await stderr.write(`${text}\n`);
    };
    // Nobody can be told that stderr is gone.
    written = written.then(write).catch(() => {});
  };

  return {
    warn: (message) => say(({ yellow }) => `${yellow('warning:')} ${visible(message)}`),
    hint: (message) => void hints.push(message),
    note: (message) => say(({ dim }) => dim(visible(message))),
    trace: (line) => say(({ dim }) => dim(visible(line))),
    annotate: (line) => say(() => visible(line)),
    error(error) {
      if (options().json) {
        say(() => jsonText({ error: describeError(error) }, redactor.redact));
        return;
      }
      if (error.message === '') return;
      const { hint } = error.facts;
      say(({ red }) => `${red('error:')} ${visible(error.message)}`);
      if (hint && !options().quiet) say(({ cyan }) => `${cyan('hint:')} ${visible(hint)}`);
    },
    async finish() {
      const { atTerminal, quiet } = options();
      if (atTerminal && !quiet) for (const hint of hints) say(({ dim }) => dim(visible(hint)));
      await written;
    },
  };
}
