// What is said beside the result, on stderr: warnings at once, hints and the error at the end.
import type { ValsError } from '../errors.ts';
import { stringifyJson } from '../lib/json.ts';
import { describeError } from './describe-error.ts';
import { visible } from './escape.ts';
import type { Glyphs } from './glyphs.ts';
import { withoutToken } from './json-text.ts';
import type { Redactor, Sink } from './streams.ts';
import { createStyle, type Style } from './style.ts';
import { createTextWidth } from './text-width.ts';
import { wrapWords } from './wrap.ts';

export interface Reporter {
  warn(message: string): void;
  /** Kept until the result is out, and said only to a person; once, however often it is given. */
  hint(message: string): void;
  /** What was done, where and in what time: the last line, said only to a person. */
  done(sentence: string, circumstances: readonly string[]): void;
  /** Neither a warning nor a hint; at once. */
  note(message: string): void;
  trace(line: string): void;
  /** A line for another program that reads stderr, such as a CI runner. */
  annotate(line: string): void;
  error(error: ValsError): void;
  /** Who reads an error named a val by this word, and not by its id. */
  callIt(id: string, word: string): void;
  /** Waits until what was said is written, so that what comes after it on the screen is said after it. */
  flush(): Promise<void>;
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
  glyphs: Glyphs;
  /** Clears a progress line before something is written over it. */
  makeRoom(): void;
}

/** Where an indent as wide as a label would leave too little. */
const narrow = 60;

export function createReporter(stderr: Sink, redactor: Redactor, options: () => ReporterOptions): Reporter {
  const hints = new Set<string>();
  const words = new Map<string, string>();
  const inWords = (text: string) => [...words].reduce((said, [id, word]) => said.replaceAll(id, word), text);
  let lastLine: Parameters<Reporter['done']> | undefined;
  let written = Promise.resolve();
  const say = (line: (style: Style) => string | Promise<string>, clean?: () => string) => {
    const write = async () => {
      const text = await line(await createStyle(options().color));
      options().makeRoom();
      await stderr.write(`${text}\n`, clean);
    };
    // There is no other place to say that stderr is gone.
    written = written.then(write).catch(() => {});
  };
  /** Between words, where a terminal would break it anywhere; below its beginning, behind the label. */
  const broken = async (message: string, label = ''): Promise<string> => {
    const text = label + visible(redactor.redact(message));
    if (!stderr.isTerminal) return text;
    const indent = ' '.repeat(stderr.width < narrow ? Math.min(2, label.length) : label.length);
    return wrapWords(text, stderr.width, indent, await createTextWidth([text])).join('\n');
  };
  const labelled = (label: string, tone: 'red' | 'yellow' | 'cyan' | 'green', message: string) =>
    say(async (style) => {
      const text = await broken(message, label && `${label} `);
      return style[tone](label) + text.slice(label.length);
    });
  const dimmed = (message: string) => say(async ({ dim }) => dim(await broken(message)));

  return {
    warn: (message) => labelled('warning:', 'yellow', message),
    hint: (message) => void hints.add(message),
    done: (...line) => {
      lastLine = line;
    },
    note: dimmed,
    trace: (line) => say(({ dim }) => dim(visible(line))),
    annotate: (line) => say(() => visible(line)),
    error(error) {
      if (options().json) {
        const described = { error: describeError(error) };
        say(
          () => stringifyJson(described),
          () => `${stringifyJson(withoutToken(described, redactor))}\n`,
        );
        return;
      }
      if (error.message === '') return;
      const { hint } = error.facts;
      labelled('error:', 'red', inWords(error.message));
      if (hint && !options().quiet) labelled('hint:', 'cyan', inWords(hint));
    },
    callIt: (id, word) => void words.set(id, word),
    flush: () => written,
    async finish() {
      const { atTerminal, quiet, glyphs } = options();
      if (atTerminal && !quiet) {
        for (const hint of hints) dimmed(hint);
        if (lastLine) {
          const [sentence, circumstances] = lastLine;
          const line = `${sentence} (${circumstances.join(', ')})`;
          labelled(glyphs.ok.trimEnd(), 'green', line);
        }
      }
      await written;
    },
  };
}
