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
  /** Shows a line that is never wrapped, such as a line for a CI runner or a line of a stack trace. */
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
  /** From now on, messages show `word` instead of the val's id. */
  nameVal(id: string, word: string): void;
  flush(): Promise<void>;
  finish(): Promise<void>;
}

export interface MessageOptions {
  json: boolean;
  color: boolean;
  quiet: boolean;
  atTerminal: boolean;
  glyphs: Glyphs;
  clearProgress(): void;
}

const narrow = 60;

export function createMessages(stderr: Sink, redactor: Redactor, options: MessageOptions): Messages {
  const hints = new Set<string>();
  const wordsById = new Map<string, string>();
  const withWords = (text: string) => {
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
    // A failed write to stderr is ignored, because it cannot be reported anywhere.
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
    more: () => void hints.add('There are more records. To see them, add --limit N or --all.'),
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
        const table = await formatTable(records, columns, screen, {
          givenOptions: new Set(),
          userChoseColumns: false,
        });
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
