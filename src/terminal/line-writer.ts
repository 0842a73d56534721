import type { Hints, WriteHints } from '../lib/hint.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import type { Redactor, Sink } from './streams.ts';
import { createStyle, type Style } from './style.ts';
import { createTextWidth } from './text-width.ts';

export interface LineWriterOptions {
  color: boolean;
  writeHints: WriteHints;
  clearProgress(): void;
}

const narrow = 60;

export function createLineWriter(stderr: Sink, { redact }: Redactor, options: LineWriterOptions) {
  const { color, writeHints, clearProgress } = options;
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
    const text = label + visible(redact(await writeHints(message)));
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
