import { DeclinedError, describeError, type ValsError, withHintText } from '../errors.ts';
import { type Hints, hintList, type WriteHints } from '../lib/hint.ts';
import { type JsonObject, stringifyJson } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import type { Column } from './column.ts';
import type { Glyphs } from './glyphs.ts';
import { withoutToken } from './json-text.ts';
import { createLineWriter, type LineWriterOptions } from './line-writer.ts';
import type { Redactor, Sink } from './streams.ts';

export interface Say {
  warn(message: Hints): void;
  /** Shows nothing with --json, because the JSON output already contains the problem. */
  warnInText(message: Hints): void;
  /** Shows a hint after the result, if the output is a terminal. */
  hint(message: Hints): void;
  more(): void;
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

export interface MessageOptions extends LineWriterOptions {
  json: boolean;
  quiet: boolean;
  atTerminal: boolean;
  glyphs: Glyphs;
  writeHints: WriteHints;
}

export function createMessages(stderr: Sink, redactor: Redactor, options: MessageOptions): Messages {
  const { json, quiet, atTerminal, glyphs, writeHints } = options;
  const writer = createLineWriter(stderr, redactor, options);
  /** Several parts of a command may give the same hint. */
  const hints = new Map<string, Hints>();
  const hint = (message: Hints) => void hints.set(JSON.stringify(message), message);
  let hasMore = false;
  let lastLine: Parameters<Messages['done']> | undefined;
  const warn = (message: Hints) => writer.writeLabelled('warning:', 'yellow', message);

  return {
    warn,
    warnInText(message) {
      if (!json) warn(message);
    },
    hint,
    more: () => {
      hasMore = true;
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
        const { redact } = redactor;
        const screen = { width, style, redact, glyphs, now: 0, links: false, hint: () => {} };
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
          return stringifyJson(withoutToken(described, redactor));
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
      if (hasMore && !quiet) writer.writeDim('There are more records. To see them, add --limit N or --all.');
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
