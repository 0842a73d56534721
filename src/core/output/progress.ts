import type { Ora } from 'ora';
import { visible } from '../lib/visible.ts';
import type { Glyphs } from './style.ts';

export interface ProgressLine {
  show(text: string): void;
  /** Stands in brackets after the text. */
  note(text: string | undefined): void;
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
  let note: string | undefined;
  let spinner: Ora | undefined;
  let timer: NodeJS.Timeout | undefined;

  const line = () => (note === undefined ? `${text}` : `${text} (${note})`);

  async function start() {
    const { default: ora } = await import('ora');
    if (text === undefined || spinner !== undefined) return;
    spinner = ora({
      text: line(),
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
      if (spinner) spinner.text = line();
      timer ??= setTimeout(start, delayMs);
    },
    note(next) {
      note = next;
      if (spinner) spinner.text = line();
    },
    hide,
    clear() {
      spinner?.clear();
    },
  };
}
