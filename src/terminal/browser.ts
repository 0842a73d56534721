// A page in the user's browser, which is started and not waited for.
import { spawn } from 'node:child_process';

/** False where there is none to start. */
export async function openInBrowser(address: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  for (const [program, ...words] of candidates(env)) {
    if (program !== undefined && (await starts(program, argumentsFor(words, address)))) return true;
  }
  return false;
}

/** $BROWSER may name several, with a colon between them; without a screen the system's own has nothing to show it on. */
function candidates(env: NodeJS.ProcessEnv): string[][] {
  const chosen = (env.BROWSER ?? '').split(process.platform === 'win32' ? ';' : ':');
  const own = {
    darwin: [['open']],
    // Not through a shell, which would take a part of the address for an order.
    win32: [['rundll32', 'url.dll,FileProtocolHandler']],
  }[process.platform as string];
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return [
    ...chosen.map((words) => words.trim().split(/\s+/)).filter(([program]) => program !== ''),
    ...(own ?? (hasScreen ? [['xdg-open']] : [])),
  ];
}

const argumentsFor = (words: readonly string[], address: string): string[] =>
  words.includes('%s') ? words.map((word) => (word === '%s' ? address : word)) : [...words, address];

const starts = (program: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
