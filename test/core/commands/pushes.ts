import { InterruptedError } from '../../../src/core/errors.ts';
import { type InProcessOptions, inProcess } from '../../support/in-process.ts';
import { environment, folderOfVals, temporaryFolder } from '../../support/program.ts';
import type { Reply, Seen } from '../../support/scripted-service.ts';

interface Row {
  file: string;
  name: string;
  status: string;
  id?: string;
  error?: { kind: string; exit: number; message: string; hint?: string };
}

export const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
export const [a, b, c] = ['a', 'b', 'c'].map((letter) => id.replace(/^./, letter)) as [
  string,
  string,
  string,
];

export const vals = (...names: string[]): string => folderOfVals(names);

export const sent = (seen: Seen): { name: string; code: string } => JSON.parse(seen.body);
export const names = (requests: readonly Seen[]): string[] => requests.map((seen) => sent(seen).name);
export const outcomes = (stdout: string): Row[] => JSON.parse(stdout);
export const statuses = (stdout: string): string[] => outcomes(stdout).map(({ status }) => status);
export const made = (seen: Seen): Reply => ({
  status: 201,
  body: { id: `id-${sent(seen).name}`, version: 1 },
});

export function interruptible(args: string[], env: Record<string, string>, cwd = temporaryFolder()) {
  const interruption = new AbortController();
  const interrupt = (exit = 130) => interruption.abort(new InterruptedError(exit));
  const result = (more: Partial<InProcessOptions> = {}) =>
    inProcess(args, { env: environment(cwd, env), cwd, signal: interruption.signal, ...more });
  return { interrupt, result };
}
