import { type ExecFileException, execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { LocalError } from '../errors.ts';

interface Finished {
  error: ExecFileException | null;
  stdout: string;
  stderr: string;
}

const mostOutputBytes = 64 * 1_048_576;

/**
 * Every call starts a process of its own, because `stop` of the package would end the calls of other vals too. The
 * package also lets esbuild write to the terminal, for example hundreds of lines if esbuild crashes.
 */
export function runEsbuild(args: readonly string[], input: string, signal: AbortSignal): Promise<Finished> {
  const [command, ...first] = withLimits(findBinary());
  const options = { signal, killSignal: 'SIGKILL', maxBuffer: mostOutputBytes, windowsHide: true } as const;
  return new Promise((resolve) => {
    const child = execFile(command, [...first, ...args], options, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** The largest code takes 2 seconds. Without the limit on CPU time, esbuild could go on for hours after vals was killed. */
const limits = 'ulimit -t 30; ulimit -v 3145728; exec "$0" "$@"';

const withLimits = (binary: string): [string, ...string[]] =>
  platform() === 'win32' ? [binary] : ['/bin/sh', '-c', limits, binary];

function findBinary(): string {
  try {
    const packageFile = createRequire(join(__dirname, 'main.js')).resolve('esbuild');
    const file = platform() === 'win32' ? 'esbuild.exe' : 'bin/esbuild';
    return createRequire(packageFile).resolve(`@esbuild/${platform()}-${arch()}/${file}`);
  } catch (cause) {
    throw new LocalError('The transpiler, esbuild, cannot be started.', {
      hint: 'Install vals again without --omit=optional: esbuild has an optional package for each system.',
      cause,
    });
  }
}
