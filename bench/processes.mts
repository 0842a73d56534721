import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Command, Sample } from './types.mts';

export const timed = (name: string, command: Command): Sample => ({ name, take: () => timeOf(command) });

export async function timeOf(command: Command): Promise<number> {
  const startedAt = performance.now();
  await ended(start(command, 'ignore'));
  return performance.now() - startedAt;
}

export async function outputOf(command: Command): Promise<string> {
  const child = start(command, 'pipe');
  const [stdout] = await Promise.all([child.stdout ? text(child.stdout) : '', ended(child)]);
  return stdout;
}

export async function peakMegabytesOf(command: Command): Promise<number> {
  const child = start(command, 'ignore');
  let peak = 0;
  const timer = setInterval(() => {
    // A process that has just ended has no such number any more.
    peak = peakMegabytesOfProcess(child.pid) ?? peak;
  }, 20);
  await ended(child).finally(() => clearInterval(timer));
  return peak;
}

/** Linux knows the most memory that a process ever had. */
export function peakMegabytesOfProcess(pid: number | undefined): number | undefined {
  const kilobytes = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6;
}

const start = ({ file, args, env, cwd }: Command, output: 'ignore' | 'pipe'): ChildProcess =>
  spawn(file, args, { env, cwd, stdio: ['ignore', output, 'pipe'] });

/** Throws if the command failed, because one that fails early would look fast. */
async function ended(child: ChildProcess): Promise<void> {
  const stderr = child.stderr ? text(child.stderr) : '';
  const [code, signal] = await once(child, 'exit');
  if (code !== 0)
    throw new Error(`${child.spawnargs.join(' ')} ended with ${code ?? signal}: ${await stderr}`);
}
