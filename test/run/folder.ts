// A folder with vals to run, apart from the home of the one who runs them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RunOptions, type RunResult, runProcess as run, temporaryFolder } from '../support/program.ts';

export interface Folder {
  path: string;
  write(file: string, text: string): void;
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>;
}

export function folderWith(files: Record<string, string>): Folder {
  const path = temporaryFolder();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return { path, write, run: (args, options) => run(['run', ...args], { cwd: path, ...options }) };
}
