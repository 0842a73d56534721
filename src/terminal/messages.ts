// Messages on stderr: warnings at once, hints and the error at the end.
import { describeError, type ValsError } from '../errors.ts';
import { type JsonObject, stringifyJson } from '../lib/json.ts';
import { quoteWord } from '../lib/shell-command.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import type { Column } from './column.ts';
import type { Glyphs } from './glyphs.ts';
import { withoutToken } from './json-text.ts';
import type { Redactor, Sink } from './streams.ts';
import { createStyle, type Style } from './style.ts';
import { createTextWidth } from './text-width.ts';

/** The messages of a command to its user. */
export interface Say {
  warn(message: string): void;
  /** A warning about one of many items. It is left out under --json, where the item's outcome holds the error. */
  warnInText(message: string): void;
  /** Shown after the result, and only at a terminal. Equal hints are shown once. */
  hint(message: string): void;
  /** Hints that a list has more records than were requested. */
  more(): void;
  /** Shown at once, in every case; neither a warning nor a hint. */
  note(message: string): void;
  /** A sentence about the work that was done. It is the last line at a terminal, with the service and the time taken. */
  done(sentence: string): void;
  /** Shown at once as one line, never wrapped or coloured: for a CI runner that reads stderr, or from a stack trace. */
  line(text: string): void;
  /** Lines shown at once, at a terminal only. Indented lines are to be copied, and are not wrapped. */
  banner(lines: string): void;
  /** A table shown at once, at a terminal only. */
  table(records: readonly JsonObject[], columns: readonly Column[]): void;
  /** Like `banner`, for lines that a person needs. --quiet does not hide them. */
  instruct(lines: string): void;
}

export interface Messages extends Omit<Say, 'done'> {
  /** The details follow the sentence in brackets. */
  done(sentence: string, details: readonly string[]): void;
  trace(line: string): void;
  error(error: ValsError): void;
  /** From now on, errors and hints show this word instead of the val's id. */
  nameVal(id: string, word: string): void;
  /** Waits until everything said so far is written. */
  flush(): Promise<void>;
  /** Writes the hints and the last line. */
  finish(): Promise<void>;
}

export interface MessageOptions {
  json: boolean;
  color: boolean;
  quiet: boolean;
  /** Whether stdout and stderr are both a terminal. */
  atTerminal: boolean;
  glyphs: Glyphs;
  /** Clears the progress line before something is written over it. */
  clearProgress(): void;
}

/** On a narrower terminal, the lines after the first are indented by two columns instead of the label's width. */
const narrow = 60;

export function createMessages(stderr: Sink, redactor: Redactor, options: MessageOptions): Messages {
  const hints = new Set<string>();
  const wordsById = new Map<string, string>();
  const withWords = (text: string) => {
    // Commands stand between backticks. A shell must be able to read the words in them.
    const isCommand = (index: number) => index % 2 === 1;
    const parts = text.split('`').map((part, index) => {
      const quote = isCommand(index) ? quoteWord : (word: string) => word;
      let replaced = part;
      for (const [id, word] of wordsById) replaced = replaced.replaceAll(quote(id), quote(word));
      return replaced;
    });
    return parts.join('`');
  };
  let lastLine: Parameters<Messages['done']> | undefined;
  let written = Promise.resolve();
  const write = (line: (style: Style) => string | Promise<string>, clean?: () => string) => {
    const writeLine = async () => {
      const text = await line(await createStyle(options.color));
      options.clearProgress();
      await stderr.write(`${text}\n`, clean);
    };
    // If stderr cannot be written, no other place is left for the message.
    written = written.then(writeLine).catch(() => {});
  };
  const wrapped = async (message: string, label = ''): Promise<string> => {
    const text = label + visible(redactor.redact(message));
    if (!stderr.isTerminal) return text;
    const indent = ' '.repeat(stderr.width < narrow ? Math.min(2, label.length) : label.length);
    const textWidth = await createTextWidth([text]);
    return textWidth.wrap(text, stderr.width, indent).join('\n');
  };
  const writeLabelled = (label: string, tone: 'red' | 'yellow' | 'cyan' | 'green', message: string) =>
    write(async (style) => {
      const text = await wrapped(message, label && `${label} `);
      return style[tone](label) + text.slice(label.length);
    });
  const writeDim = (message: string) => write(async ({ dim }) => dim(await wrapped(message)));
  const writeLines = (lines: string) =>
    write(async () => {
      const textWidth = await createTextWidth([lines]);
      const wrapLine = (line: string) =>
        line.startsWith(' ') ? line : textWidth.wrap(line, stderr.width).join('\n');
      return visibleLines(lines.replace(/\n$/, '')).split('\n').map(wrapLine).join('\n');
    });
  const warn = (message: string) => writeLabelled('warning:', 'yellow', message);

  return {
    warn,
    warnInText(message) {
      if (!options.json) warn(message);
    },
    hint: (message) => void hints.add(message),
    more: () => void hints.add('There are more records. Add --limit N or --all to see them.'),
    note: writeDim,
    done: (...line) => {
      lastLine = line;
    },
    line: (text) => write(() => visible(text)),
    banner(lines) {
      if (stderr.isTerminal && !options.quiet) writeLines(lines);
    },
    table(records, columns) {
      if (!stderr.isTerminal || options.quiet) return;
      write(async (style) => {
        const { formatTable } = await import('./table.ts');
        const { width } = stderr;
        const { redact } = redactor;
        const screen = { width, style, redact, glyphs: options.glyphs, now: 0, links: false, hint: () => {} };
        const table = await formatTable(records, columns, screen, { given: new Set(), chosen: false });
        return table.trimEnd();
      });
    },
    instruct(lines) {
      if (stderr.isTerminal) writeLines(lines);
    },
    trace: (line) => write(({ dim }) => dim(visible(line))),
    error(error) {
      if (options.json) {
        const described = { error: describeError(error) };
        write(
          () => stringifyJson(described),
          () => `${stringifyJson(withoutToken(described, redactor))}\n`,
        );
        return;
      }
      if (error.message === '') return;
      const { hint } = error.facts;
      writeLabelled('error:', 'red', withWords(error.message));
      if (hint && !options.quiet) writeLabelled('hint:', 'cyan', withWords(hint));
    },
    nameVal: (id, word) => void wordsById.set(id, word),
    flush: () => written,
    async finish() {
      const { atTerminal, quiet, glyphs } = options;
      if (atTerminal && !quiet) {
        for (const hint of hints) writeDim(hint);
        if (lastLine) {
          const [sentence, details] = lastLine;
          writeLabelled(glyphs.ok.trimEnd(), 'green', `${sentence} (${details.join(', ')})`);
        }
      }
      await written;
    },
  };
}
