import { DeclinedError, type ValsError } from '../errors.ts';
import { type Hints, hintList, type WriteHints } from '../lib/hint.ts';
import { stringifyJson } from '../lib/json.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import type { Event } from './out.ts';
import type { ProgressLine } from './progress.ts';
import { describeError } from './result.ts';
import type { Sink } from './streams.ts';
import { createStyle, type Glyphs, type Style } from './style.ts';
import { createTextWidth } from './text-width.ts';

export interface Messages {
  say(event: Event): void;
  flush(): Promise<void>;
  /** Writes what comes after the result, then the error. */
  end(error: ValsError | undefined): Promise<void>;
}

export interface MessageOptions {
  color: boolean;
  progress: ProgressLine;
  json: boolean;
  quiet: boolean;
  atTerminal: boolean;
  glyphs: Glyphs;
  redact(text: string): string;
  writeHints: WriteHints;
  now(): number;
}

type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>;

export function createMessages(stderr: Sink, options: MessageOptions): Messages {
  const { json, quiet, atTerminal, glyphs, progress } = options;
  const writer = createLineWriter(stderr, options);
  /** Several parts of a command may give the same hint. */
  const hints = new Map<string, Hints>();
  let lastLine: EventOf<'done'> | undefined;

  function say(event: Event): void {
    switch (event.kind) {
      case 'warning':
        if (!(json && event.onlyInText)) writer.writeLabelled('warning:', 'yellow', event.text);
        break;
      case 'note':
        writer.writeDim(event.text);
        break;
      case 'hint':
        hints.set(JSON.stringify(event.text), event.text);
        break;
      case 'done':
        lastLine = event;
        break;
      case 'progress':
        if (event.text === undefined) progress.stop();
        else progress.show(event.text);
        break;
      case 'trace':
        writer.write(({ dim }) => dim(visible(event.text)));
        break;
      case 'lines':
        sayLines(event);
        break;
      case 'table':
        if (stderr.isTerminal && !quiet) writer.write((style) => drawTable(event, style, stderr, options));
        break;
    }
  }

  function sayLines({ text, despite }: EventOf<'lines'>): void {
    if (despite === 'pipe') writer.write(() => visible(text));
    else if (stderr.isTerminal && (!quiet || despite === 'quiet')) writer.writeLines(text);
  }

  return {
    say,
    flush: writer.flush,
    end(error) {
      progress.stop();
      if (error !== undefined) writeError(error, writer, options);
      if (atTerminal && !quiet) {
        for (const message of hints.values()) writer.writeDim(message);
        if (lastLine) {
          const { text, details = [] } = lastLine;
          writer.writeLabelled(glyphs.ok.trimEnd(), 'green', `${text} (${details.join(', ')})`);
        }
      }
      return writer.flush();
    },
  };
}

function writeError(error: ValsError, writer: LineWriter, { json, quiet, writeHints }: MessageOptions): void {
  if (json) {
    writer.write(async () => stringifyJson({ error: await describeError(error, writeHints) }));
    return;
  }
  if (error.message === '') return;
  if (error instanceof DeclinedError) {
    writer.writeDim(error.message);
    return;
  }
  const hint = hintList(error.facts.hint);
  writer.writeLabelled('error:', 'red', error.message);
  if (hint.length > 0 && !quiet) writer.writeLabelled('hint:', 'cyan', hint);
}

async function drawTable(
  { records, columns }: EventOf<'table'>,
  style: Style,
  { width }: Sink,
  { redact, glyphs, now }: MessageOptions,
): Promise<string> {
  const { formatTable } = await import('./table.ts');
  const screen = { width, style, redact, glyphs, now: now(), hint: () => {} };
  const options = { userChoseColumns: false };
  return (await formatTable(records, columns, screen, options)).trimEnd();
}

const narrow = 60;

type LineWriter = ReturnType<typeof createLineWriter>;

function createLineWriter(stderr: Sink, { color, writeHints, progress }: MessageOptions) {
  let written = Promise.resolve();

  function write(line: (style: Style) => string | Promise<string>): void {
    const writeLine = async () => {
      const text = await line(await createStyle(color));
      progress.clear();
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
