import type { Ora } from 'ora';
import { DeclinedError, type ValsError } from '../errors.ts';
import { type Hints, hintList } from '../lib/hint.ts';
import { stringifyJson } from '../lib/json.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import { describeError, type Event, type Say } from './out.ts';
import type { Screen } from './screen.ts';
import type { Glyphs, Style } from './style.ts';
import { createTextWidth } from './text-width.ts';

export interface Messages {
  say: Say;
  flush(): Promise<void>;
  /** Writes what comes after the result, then the error. */
  end(error: ValsError | undefined): Promise<void>;
}

type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>;

interface MessagesOptions {
  /** The screen of the result. */
  result: Screen;
  quiet: boolean;
  progress: ProgressLine;
}

/** Writes each event to stderr as text. */
export function createMessages(stderr: Screen, { result, quiet, progress }: MessagesOptions): Messages {
  const { kind, glyphs, writeHints } = stderr;
  const isForReader = stderr.isTerminal && !quiet;
  /** Several parts of a command may give the same hint. */
  const hints = new Map<string, Hints>();
  let lastLine: EventOf<'done'> | undefined;
  let written = Promise.resolve();
  let hasEnded = false;

  function write(makeText: () => string | Promise<string>): void {
    const writeText = async () => {
      const text = await makeText();
      progress.clear();
      await stderr.write(`${text}\n`);
    };
    // A failed write to stderr is ignored, because it cannot be reported anywhere.
    written = written.then(writeText).catch(() => {});
  }

  /** Paints the label, or the whole text if there is no label. */
  function writeText(text: Hints, tone: keyof Style, label = ''): void {
    write(async () => {
      const style = await stderr.style();
      const start = label && `${label} `;
      const whole = start + visible(writeHints(text));
      const lines = stderr.isTerminal ? await wrapped(whole, stderr.width, start.length) : whole;
      return label === '' ? style[tone](lines) : style[tone](label) + lines.slice(label.length);
    });
  }

  function writeLines({ text, despite }: EventOf<'lines'>): void {
    if (despite === 'pipe') write(() => visible(text));
    else if (isForReader || (stderr.isTerminal && despite === 'quiet'))
      write(() => wrappedLines(text, stderr.width));
  }

  function writeError(error: ValsError): void {
    if (kind !== 'text') {
      write(() => stringifyJson({ error: describeError(error, writeHints) }));
    } else if (error instanceof DeclinedError) {
      writeText(error.message, 'dim');
    } else if (error.message !== '') {
      const hint = hintList(error.facts.hint);
      writeText(error.message, 'red', 'error:');
      if (hint.length > 0 && !quiet) writeText(hint, 'cyan', 'hint:');
    }
  }

  return {
    say(event) {
      // A request that is interrupted at the end would otherwise write below the error, which programs read as the last line.
      if (hasEnded) return;
      switch (event.kind) {
        case 'warning':
          if (kind === 'text' || !event.onlyInText) writeText(event.text, 'yellow', 'warning:');
          break;
        case 'note':
          if (!quiet || !event.minor) writeText(event.text, 'dim');
          break;
        case 'hint':
          hints.set(JSON.stringify(event.text), event.text);
          break;
        case 'done':
          lastLine = event;
          break;
        case 'progress':
          if (event.text === undefined) progress.hide();
          else progress.show(event.text);
          break;
        case 'trace':
          write(async () => (await stderr.style()).dim(visible(event.text)));
          break;
        case 'lines':
          writeLines(event);
          break;
        case 'table':
          if (isForReader) write(() => drawTable(event, stderr));
          break;
      }
    },
    flush: () => written,
    end(error) {
      progress.hide();
      const isAtTerminal = isForReader && result.isTerminal;
      if (isAtTerminal) for (const hint of hints.values()) writeText(hint, 'dim');
      // With --color, a pipe gets no record of one change either, so the line must be somewhere.
      if (lastLine !== undefined && (isAtTerminal || (result.forPerson && !quiet))) {
        const { text, details = [] } = lastLine;
        writeText(`${text} (${details.join(', ')})`, 'green', glyphs.ok.trimEnd());
      }
      if (error !== undefined) writeError(error);
      hasEnded = true;
      return written;
    },
  };
}

const narrow = 60;

async function wrapped(text: string, width: number, labelWidth: number): Promise<string> {
  const indent = ' '.repeat(width < narrow ? Math.min(2, labelWidth) : labelWidth);
  return (await createTextWidth([text])).wrap(text, width, indent).join('\n');
}

async function wrappedLines(text: string, width: number): Promise<string> {
  const { wrap } = await createTextWidth([text]);
  return visibleLines(text.replace(/\n$/, ''))
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrap(line, width).join('\n')))
    .join('\n');
}

async function drawTable({ records, columns }: EventOf<'table'>, screen: Screen): Promise<string> {
  const { formatTable } = await import('./table.ts');
  return (await formatTable(records, columns, screen)).text.trimEnd();
}

export interface ProgressLine {
  show(text: string): void;
  hide(): void;
  /** Erases the spinner. The next frame draws it again. */
  clear(): void;
}

export interface ProgressOptions {
  enabled: boolean;
  spinner: Glyphs['spinner'];
  color: boolean;
  signal: AbortSignal;
}

const delayMs = 300;

export function createProgress(
  stream: NodeJS.WriteStream,
  { enabled, spinner: frames, color, signal }: ProgressOptions,
): ProgressLine {
  let text: string | undefined;
  let spinner: Ora | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function start() {
    const { default: ora } = await import('ora');
    if (text === undefined || spinner !== undefined) return;
    spinner = ora({
      text,
      stream,
      spinner: frames,
      color: color ? 'cyan' : false,
      discardStdin: false,
      isEnabled: true,
    }).start();
  }

  function hide() {
    text = undefined;
    clearTimeout(timer);
    timer = undefined;
    spinner?.stop();
    spinner = undefined;
  }

  // The second Ctrl-C ends the process at once, and the spinner must have shown the cursor again by then.
  signal.addEventListener('abort', hide);

  return {
    show(next) {
      if (!enabled || signal.aborted) return;
      text = visible(next);
      if (spinner) spinner.text = text;
      timer ??= setTimeout(start, delayMs);
    },
    hide,
    clear() {
      spinner?.clear();
    },
  };
}
