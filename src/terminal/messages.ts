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
  /** Shows a hint after the result, only at a terminal. Equal hints are shown once. */
  hint(message: string): void;
  /** Hints that a list has more records than were requested. */
  more(): void;
  /** Shows a message at once, in every format, without a label such as "Warning". */
  note(message: string): void;
  /** A sentence about the work that was done. A terminal shows it as the last line, with the service and the time taken. */
  done(sentence: string): void;
  /** Shows one line at once, never wrapped or coloured. Used for lines that a CI runner reads, and for stack traces. */
  line(text: string): void;
  /** Shows lines at once, only at a terminal. Indented lines are not wrapped, so that the user can copy them. */
  banner(lines: string): void;
  /** Shows a table at once, only at a terminal. */
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
  /** Waits until all messages so far are written. */
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
  /** Clears the progress line, before a message is written in its place. */
  clearProgress(): void;
}

/** On a terminal with fewer columns, the later lines of a message are indented by two columns, not by the label's width. */
const narrow = 60;

export function createMessages(stderr: Sink, redactor: Redactor, options: MessageOptions): Messages {
  const hints = new Set<string>();
  const wordsById = new Map<string, string>();
  const withWords = (text: string) => {
    // Commands stand between backticks. A word in a command is quoted, so that the user can copy the command into a shell.
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
    // An error of stderr is ignored, because there is no other place for the message.
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
