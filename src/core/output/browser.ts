import { spawn } from 'node:child_process';
import type { System } from '../lib/system.ts';

export async function openInBrowser(
  address: string,
  env: NodeJS.ProcessEnv,
  { platform }: System,
): Promise<boolean> {
  const [program, ...words] = browserOf(env, platform);
  return program !== undefined && (await starts(program, [...words, address]));
}

function browserOf(env: NodeJS.ProcessEnv, platform: string): string[] {
  if (env.BROWSER?.trim()) return env.BROWSER.trim().split(/\s+/);
  if (platform === 'darwin') return ['open'];
  // The command `start` is not used, because it needs a shell, and a shell could run a part of the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : [];
}

const starts = (program: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
