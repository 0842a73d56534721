// Opens a page in the user's browser, and does not wait until the browser ends.
import { spawn } from 'node:child_process';
import type { System } from '../lib/system.ts';

/** Resolves to false if no browser could be started. */
export async function openInBrowser(
  address: string,
  env: NodeJS.ProcessEnv,
  { platform }: System,
): Promise<boolean> {
  for (const [program, ...words] of candidates(env, platform)) {
    if (program !== undefined && (await starts(program, argumentsFor(words, address)))) return true;
  }
  return false;
}

/** $BROWSER may name several programs, separated by colons. Without a display, xdg-open cannot show a page. */
function candidates(env: NodeJS.ProcessEnv, platform: string): string[][] {
  const chosen = (env.BROWSER ?? '').split(platform === 'win32' ? ';' : ':');
  const usual = {
    darwin: [['open']],
    // rundll32 is started without a shell, because a shell could run parts of the address as commands.
    win32: [['rundll32', 'url.dll,FileProtocolHandler']],
  }[platform];
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return [
    ...chosen.map((words) => words.trim().split(/\s+/)).filter(([program]) => program !== ''),
    ...(usual ?? (hasScreen ? [['xdg-open']] : [])),
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
