import { describeError, type ValsError } from '../errors.ts';
import { type JsonObject, stringifyJson } from '../lib/json.ts';
import { quoteWord, replaceInCommands, splitAtCommand } from '../lib/shell-command.ts';
import { visible } from '../lib/visible.ts';
import type { Column } from './column.ts';
import type { Glyphs } from './glyphs.ts';
import { withoutToken } from './json-text.ts';
import { createLineWriter, type LineWriterOptions } from './line-writer.ts';
import type { Redactor, Sink } from './streams.ts';

export interface Say {
  warn(message: string): void;
  /** Shows nothing with --json, because the JSON output already contains the problem. */
  warnInText(message: string): void;
  /** Shows a hint after the result, if the output is a terminal. */
  hint(message: string): void;
  more(): void;
  note(message: string): void;
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
  /** From now on, errors show `word` instead of the id of the val. */
  nameVal(id: string, word: string): void;
  flush(): Promise<void>;
  finish(): Promise<void>;
}

export interface MessageOptions extends LineWriterOptions {
  json: boolean;
  quiet: boolean;
  atTerminal: boolean;
  glyphs: Glyphs;
}

export function createMessages(stderr: Sink, redactor: Redactor, options: MessageOptions): Messages {
  const { json, quiet, atTerminal, glyphs } = options;
  const writer = createLineWriter(stderr, redactor, options);
  const hints = new Set<string>();
  const wordsById = new Map<string, string>();
  let lastLine: Parameters<Messages['done']> | undefined;
  const warn = (message: string) => writer.writeLabelled('warning:', 'yellow', message);

  return {
    warn,
    warnInText(message) {
      if (!json) warn(message);
    },
    hint: (message) => void hints.add(message),
    more: () => void hints.add('There are more records. To see them, add --limit N or --all.'),
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
        const described = { error: describeError(error) };
        const redacted = () => `${stringifyJson(withoutToken(described, redactor))}\n`;
        return writer.write(() => stringifyJson(described), redacted);
      }
      if (error.message === '') return;
      const { hint } = error.facts;
      writer.writeLabelled('error:', 'red', withWords(error.message, wordsById));
      if (hint && !quiet) writer.writeLabelled('hint:', 'cyan', withWords(hint, wordsById));
    },
    nameVal: (id, word) => void wordsById.set(id, word),
    flush: writer.flush,
    finish() {
      if (atTerminal && !quiet) {
        for (const hint of hints) writer.writeDim(hint);
        if (lastLine) {
          const [sentence, details] = lastLine;
          writer.writeLabelled(glyphs.ok.trimEnd(), 'green', `${sentence} (${details.join(', ')})`);
        }
      }
      return writer.flush();
    },
  };
}

function withWords(text: string, wordsById: ReadonlyMap<string, string>): string {
  let [prose, commands] = splitAtCommand(text);
  for (const [id, word] of wordsById) {
    // An id with other characters could remove the quotes around a proposed word.
    if (quoteWord(id) === id) prose = prose.replaceAll(id, () => word);
    commands = replaceInCommands(commands, id, quoteWord(word));
  }
  return prose + commands;
}
