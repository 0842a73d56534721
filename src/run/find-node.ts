import { spawnSync } from 'node:child_process';
import { UsageError } from '../errors.ts';

export interface Runtime {
  path: string;
  version: string;
  otherThanNode?: string | undefined;
}

const question =
  'process.versions.bun ?? process.versions.deno ? "" : process.versions.node + " " + process.execPath';

export function findNode(runtime: Runtime, env: NodeJS.ProcessEnv): Runtime {
  const { otherThanNode } = runtime;
  if (otherThanNode === undefined) return runtime;
  const { stdout } = spawnSync('node', ['-p', question], { env, encoding: 'utf8', stdio: 'pipe' });
  const [, version, path] = /^(\d+\.\d+\.\d+) (.+)\n$/.exec(stdout ?? '') ?? [];
  if (version !== undefined && path !== undefined) return { path, version };
  throw new UsageError(`vals run needs Node, because ${otherThanNode} has no sandbox for a val.`, {
    hint: 'Install Node 20.18.1 or later, and add its folder to PATH.',
  });
}
