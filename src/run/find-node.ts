// Finds the Node that runs a val. Bun and Deno can run this program. They cannot run a val, because the sandbox is
// Node's permission model, which Bun and Deno lack.
import { spawnSync } from 'node:child_process';
import { UsageError } from '../errors.ts';

export interface Runtime {
  path: string;
  /**
   * The version of Node, such as `20.18.1`. If the runtime is not Node, the version of Node that the runtime imitates.
   */
  version: string;
  /** The name of a runtime that is not Node, such as `Bun`. */
  otherThanNode?: string | undefined;
}

/** This code prints nothing if the program named `node` is Bun or Deno. */
const question =
  'process.versions.bun ?? process.versions.deno ? "" : process.versions.node + " " + process.execPath';

/** Returns the given runtime if it is Node. Otherwise returns the Node that is in PATH. */
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
