import { spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';

/** On a busy machine a terminal may close before node-pty has read everything, so the shell waits with `kill -STOP`. */
const held = 'trap : INT QUIT TERM; "$@"; printf "\\001ended with %d\\001" "$?"; kill -STOP $$';
const ending = /\u0001ended with (\d+)\u0001/;

export interface Terminal {
  text(): string;
  shows(text: string | RegExp): Promise<void>;
  press(keys: string): void;
  ended: Promise<number>;
}

export interface TerminalSettings {
  env: Record<string, string>;
  cwd: string;
  columns?: number;
  onScreen?(screen: string, press: (keys: string) => void): void;
}

export function openTerminal(command: readonly string[], settings: TerminalSettings): Terminal {
  const { env, cwd, columns = 80, onScreen } = settings;
  const terminal = spawn('sh', ['-c', held, 'sh', ...command], { cols: columns, rows: 30, cwd, env });
  let text = '';
  const waiting = new Set<() => void>();
  const isShown = (wanted: string | RegExp) =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  const shows = (wanted: string | RegExp) =>
    new Promise<void>((shown) => {
      const look = () => {
        if (!isShown(wanted)) return;
        waiting.delete(look);
        shown();
      };
      waiting.add(look);
      look();
    });
  const over = shows(ending);
  const gone = new Promise<void>((exited) => terminal.onExit(() => exited()));
  onTestFinished(async () => {
    process.kill(-terminal.pid, 'SIGKILL');
    await gone;
  });
  terminal.onData((data) => {
    text += data;
    for (const look of waiting) look();
    onScreen?.(text, (keys) => terminal.write(keys));
  });
  return {
    text: () => text.replace(ending, ''),
    shows,
    press: (keys) => terminal.write(keys),
    ended: over.then(() => Number(ending.exec(text)?.[1])),
  };
}
