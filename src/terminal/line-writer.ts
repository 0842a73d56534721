import { visible, visibleLines } from '../lib/visible.ts';
import type { Redactor, Sink } from './streams.ts';
import { createStyle, type Style } from './style.ts';
import { createTextWidth } from './text-width.ts';

type Line = (style: Style) => string | Promise<string>;

export interface LineWriter {
  /** Lines are written one after the other, in the order of the calls. For `clean`, see `Sink`. */
  write(line: Line, clean?: () => string): void;
  writeLabelled(label: string, tone: keyof Style, message: string): void;
  writeDim(message: string): void;
  /** Wraps each line that is not indented. */
  writeLines(lines: string): void;
  flush(): Promise<void>;
}

export interface LineWriterOptions {
  color: boolean;
  clearProgress(): void;
}

const narrow = 60;

export function createLineWriter(
  stderr: Sink,
  { redact }: Redactor,
  { color, clearProgress }: LineWriterOptions,
): LineWriter {
  let written = Promise.resolve();

  function write(line: Line, clean?: () => string): void {
    const writeLine = async () => {
      const text = await line(await createStyle(color));
      clearProgress();
      await stderr.write(`${text}\n`, clean);
    };
    // A failed write to stderr is ignored, because it cannot be reported anywhere.
    written = written.then(writeLine).catch(() => {});
  }

  async function wrapped(message: string, label = ''): Promise<string> {
    const text = label + visible(redact(message));
    if (!stderr.isTerminal) return text;
    const indent = ' '.repeat(stderr.width < narrow ? Math.min(2, label.length) : label.length);
    const textWidth = await createTextWidth([text]);
    return textWidth.wrap(text, stderr.width, indent).join('\n');
  }

  return {
    write,
    writeLabelled: (label, tone, message) =>
      write(async (style) => {
        const text = await wrapped(message, label && `${label} `);
        return style[tone](label) + text.slice(label.length);
      }),
    writeDim: (message) => write(async ({ dim }) => dim(await wrapped(message))),
    writeLines: (lines) =>
      write(async () => {
        const textWidth = await createTextWidth([lines]);
        const wrapLine = (line: string) =>
          line.startsWith(' ') ? line : textWidth.wrap(line, stderr.width).join('\n');
        return visibleLines(lines.replace(/\n$/, '')).split('\n').map(wrapLine).join('\n');
      }),
    flush: () => written,
  };
}
