// A spinner on stderr for what takes long; what is quick never shows one, nor loads its code.
import type { Ora } from 'ora';
import { visible } from './escape.ts';

export interface Progress {
  show(text: string): void;
  /** For good: what goes on without an end is not waited for. */
  stop(): void;
}

export interface ProgressLine extends Progress {
  /** Takes the line off the screen; the next frame brings it back. */
  clear(): void;
  /** Takes the line off the screen until there is something new to show. */
  pause(): void;
}

const patienceMs = 300;

export function createProgress(
  stream: NodeJS.WriteStream,
  enabled: boolean,
  unicode: boolean,
  color: boolean,
): ProgressLine {
  let text = '';
  let spinner: Ora | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function start() {
    const { default: ora } = await import('ora');
    const look = unicode ? 'dots' : 'line';
    if (!stopped)
      spinner = ora({
        ...{ text, stream, spinner: look, color: color ? 'cyan' : false },
        ...{ discardStdin: false, isEnabled: true },
      }).start();
  }

  return {
    show(next) {
      if (stopped || !enabled) return;
      text = visible(next);
      if (spinner) spinner.text = text;
      timer ??= setTimeout(start, patienceMs);
    },
    clear() {
      spinner?.clear();
    },
    pause,
    stop() {
      stopped = true;
      pause();
    },
  };

  function pause() {
    clearTimeout(timer);
    timer = undefined;
    spinner?.stop();
    spinner = undefined;
  }
}
