import { spawn } from 'node:child_process';
import type { System } from '../lib/system.ts';

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

function candidates(env: NodeJS.ProcessEnv, platform: string): string[][] {
  const commands = (env.BROWSER ?? '').split(platform === 'win32' ? ';' : ':');
  const usual = {
    darwin: [['open']],
    // The command `start` is not used, because it needs a shell, and a shell could run a part of the address.
    win32: [['rundll32', 'url.dll,FileProtocolHandler']],
  }[platform];
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return [
    ...commands.map((command) => command.trim().split(/\s+/)).filter(([program]) => program !== ''),
    ...(usual ?? (hasDisplay ? [['xdg-open']] : [])),
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
