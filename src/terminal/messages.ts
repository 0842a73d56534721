import { DeclinedError, describeError, type ValsError, withHintText } from '../errors.ts';
import { type Hints, hintList, type WriteHints } from '../lib/hint.ts';
import { type JsonObject, stringifyJson } from '../lib/json.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import type { Column } from './column.ts';
import type { Sink } from './streams.ts';
import { createStyle, type Glyphs, type Style } from './style.ts';
import { createTextWidth } from './text-width.ts';

export interface Say {
  warn(message: Hints): void;
  /** Shows nothing with --json, because the JSON output already contains the problem. */
  warnInText(message: Hints): void;
  /** Shows a hint after the result, if the output is a terminal. */
  hint(message: Hints): void;
  /** Says that the list has more records than the command shows, or may have more. */
  more(isCertain?: boolean): void;
  note(message: Hints): void;
  /**
   * Shows a sentence as the last line, if the output is a terminal. The service and the duration follow in brackets.
   */
  done(sentence: string): void;
  /** Shows a line without wrapping it, for CI systems and for stack traces. */
  line(text: string): void;
  /** Shows lines at a terminal. Indented lines are not wrapped, so that the user can copy them. */
  banner(lines: string): void;
  table(records: readonly JsonObject[], columns: readonly Column[]): void;
  /** Like `banner`, but --quiet does not hide the lines. */
  instruct(lines: string): void;
}

export interface Messages extends Omit<Say, 'done'> {
  done(sentence: string, details: readonly string[]): void;
  trace(line: string): void;
  error(error: ValsError): void;
  flush(): Promise<void>;
  finish(): Promise<void>;
}

export const moreRecords = (isCertain: boolean): string =>
  `There ${isCertain ? 'are' : 'may be'} more records.`;

export interface MessageOptions {
  color: boolean;
  clearProgress(): void;
  json: boolean;
  quiet: boolean;
  atTerminal: boolean;
  glyphs: Glyphs;
  redact(text: string): string;
  writeHints: WriteHints;
}

export function createMessages(stderr: Sink, options: MessageOptions): Messages {
  const { json, quiet, atTerminal, glyphs, redact, writeHints } = options;
  const writer = createLineWriter(stderr, options);
  /** Several parts of a command may give the same hint. */
  const hints = new Map<string, Hints>();
  const hint = (message: Hints) => void hints.set(JSON.stringify(message), message);
  let more: string | undefined;
  let lastLine: Parameters<Messages['done']> | undefined;
  const warn = (message: Hints) => writer.writeLabelled('warning:', 'yellow', message);

  return {
    warn,
    warnInText(message) {
      if (!json) warn(message);
    },
    hint,
    more: (isCertain = true) => {
      more = moreRecords(isCertain);
    },
    note: writer.writeDim,
    done: (...line) => {
      lastLine = line;
    },
    line: (text) => writer.write(() => visible(text)),
    banner(lines) {
      if (stderr.isTerminal && !quiet) writer.writeLines(lines);
    },
    table(records, columns) {
      if (!stderr.isTerminal || quiet) return;
      writer.write(async (style) => {
        const { formatTable } = await import('./table.ts');
        const { width } = stderr;
        const screen = { width, style, redact, glyphs, now: 0, hint: () => {} };
        const tableOptions = { givenOptions: new Set<string>(), userChoseColumns: false };
        const table = await formatTable(records, columns, screen, tableOptions);
        return table.trimEnd();
      });
    },
    instruct(lines) {
      if (stderr.isTerminal) writer.writeLines(lines);
    },
    trace: (line) => writer.write(({ dim }) => dim(visible(line))),
    error(error) {
      if (json) {
        return writer.write(async () => {
          const described = { error: await withHintText(describeError(error), writeHints) };
          return stringifyJson(described);
        });
      }
      if (error.message === '') return;
      if (error instanceof DeclinedError) return writer.writeDim(error.message);
      const hint = hintList(error.facts.hint);
      writer.writeLabelled('error:', 'red', error.message);
      if (hint.length > 0 && !quiet) writer.writeLabelled('hint:', 'cyan', hint);
    },
    flush: writer.flush,
    finish() {
      // A script must learn that its list is not whole, so this line is written in a pipe too.
      if (more && !quiet) writer.writeDim(`${more} To see them, add --limit N or --all.`);
      if (atTerminal && !quiet) {
        for (const message of hints.values()) writer.writeDim(message);
        if (lastLine) {
          const [sentence, details] = lastLine;
          writer.writeLabelled(glyphs.ok.trimEnd(), 'green', `${sentence} (${details.join(', ')})`);
        }
      }
      return writer.flush();
    },
  };
}

const narrow = 60;

function createLineWriter(stderr: Sink, { color, writeHints, clearProgress }: MessageOptions) {
  let written = Promise.resolve();

  function write(line: (style: Style) => string | Promise<string>): void {
    const writeLine = async () => {
      const text = await line(await createStyle(color));
      clearProgress();
      await stderr.write(`${text}\n`);
    };
    // A failed write to stderr is ignored, because it cannot be reported anywhere.
    written = written.then(writeLine).catch(() => {});
  }

  async function wrapped(message: Hints, label = ''): Promise<string> {
    const text = label + visible(await writeHints(message));
    if (!stderr.isTerminal) return text;
    const indent = ' '.repeat(stderr.width < narrow ? Math.min(2, label.length) : label.length);
    const textWidth = await createTextWidth([text]);
    return textWidth.wrap(text, stderr.width, indent).join('\n');
  }

  const writeLabelled = (label: string, tone: keyof Style, message: Hints): void =>
    write(async (style) => {
      const text = await wrapped(message, label && `${label} `);
      return style[tone](label) + text.slice(label.length);
    });

  const writeDim = (message: Hints): void => write(async ({ dim }) => dim(await wrapped(message)));

  const writeLines = (lines: string): void =>
    write(async () => {
      const textWidth = await createTextWidth([lines]);
      const wrapLine = (line: string) =>
        line.startsWith(' ') ? line : textWidth.wrap(line, stderr.width).join('\n');
      return visibleLines(lines.replace(/\n$/, '')).split('\n').map(wrapLine).join('\n');
    });

  return { write, writeLabelled, writeDim, writeLines, flush: () => written };
}
