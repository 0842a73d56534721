import type { Ora } from 'ora';
import { visible } from '../lib/visible.ts';

export interface ProgressLine {
  show(text: string): void;
  stop(): void;
  /** Erases the spinner. The next frame draws it again. */
  clear(): void;
}

const delayMs = 300;

export function createProgress(
  stream: NodeJS.WriteStream,
  { enabled, unicode, color }: { enabled: boolean; unicode: boolean; color: boolean },
): ProgressLine {
  let text = '';
  let spinner: Ora | undefined;
  /** Stays set while the spinner is shown, so that `show` starts only one spinner. */
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function start() {
    const { default: ora } = await import('ora');
    if (stopped) return;
    spinner = ora({
      text,
      stream,
      spinner: unicode ? 'dots' : 'line',
      color: color ? 'cyan' : false,
      discardStdin: false,
      isEnabled: true,
    }).start();
  }

  return {
    show(next) {
      if (stopped || !enabled) return;
      text = visible(next);
      if (spinner) spinner.text = text;
      timer ??= setTimeout(start, delayMs);
    },
    clear() {
      spinner?.clear();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      spinner?.stop();
      spinner = undefined;
    },
  };
}
