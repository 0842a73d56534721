// A folder with vals to run, apart from the home of the one who runs them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RunOptions, type RunResult, run, runProcess, temporaryFolder } from '../support/program.ts';

/** Code that hears nothing any more, as an endless loop would, without the heat of one. */
export const deaf = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';

export interface Folder {
  path: string;
  write(file: string, text: string): void;
  /** What the val itself prints is on the stderr of the test's process. */
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** By a `vals` in a process of its own, which shares its streams with the val. */
  runProcess(args: readonly string[], options?: RunOptions): Promise<RunResult>;
}

export function folderWith(files: Record<string, string>): Folder {
  const path = temporaryFolder();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const running =
    (how: typeof run): Folder['run'] =>
    (args, options) =>
      how(['run', ...args], { cwd: path, ...options });
  return { path, write, run: running(run), runProcess: running(runProcess) };
}
