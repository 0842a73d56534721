import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  folderOf,
  type RunOptions,
  type RunResult,
  run,
  runProcess,
  startProcess,
  temporaryFolder,
} from '../support/program.ts';

/** `Atomics.wait` blocks the thread like an endless loop, but uses no processor time. */
export const deaf = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';

export interface Folder {
  path: string;
  write(file: string, text: string): void;
  run(args: readonly string[], options?: Parameters<typeof run>[1]): Promise<RunResult>;
  runProcess(args: readonly string[], options?: RunOptions): Promise<RunResult>;
}

export function folderWith(files: Record<string, string>): Folder {
  const path = folderOf(files);
  const write = (file: string, text: string) => writeFileSync(join(path, file), text);
  const running =
    (how: typeof run): Folder['run'] =>
    (args, options) =>
      how(['run', ...args], { cwd: path, ...options });
  return { path, write, run: running(run), runProcess: running(runProcess) };
}

export function startRun(
  args: readonly string[],
  files: Record<string, string>,
  env: Record<string, string> = {},
) {
  const folder = folderWith(files);
  const running = { cwd: folder.path, env, home: temporaryFolder() };
  const { child: vals, ended, text } = startProcess(['run', ...args], running);
  const shows = (stream: 'stdout' | 'stderr', words: string) =>
    expect.poll(() => text[stream]).toContain(words);
  return { folder, vals, ended, text, shows };
}
