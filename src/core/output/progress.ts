import type { Ora } from 'ora';
import { visible } from '../lib/visible.ts';
import type { Glyphs } from './style.ts';

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
