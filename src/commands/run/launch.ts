// How the process of a val is started: what it may read, its environment and its time limit.
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { readablePackages } from '../../run/packages.ts';
import type { LaunchOptions } from '../../run/run.ts';
import { environmentOf, nodeOptions } from '../../run/sandbox.ts';
import type { Target, Wanted } from '../../run/target.ts';

export interface GivenRun extends Wanted {
  args: string[];
  maxSeconds: number;
  allowAll?: boolean;
  report?: boolean;
  port?: number;
}

export function launchOptions(
  { env, settings, clock, node }: Context,
  { maxSeconds, allowAll = false }: GivenRun,
  target: Target,
): Omit<LaunchOptions, 'onFile'> {
  const program = realpathSync.native(join(__dirname, 'run', 'child.cjs'));
  const packages = allowAll ? undefined : readablePackages(target.packagesFrom);
  const kept = [settings.configDirectory, settings.dataDirectory].flatMap((folder) => folder?.value ?? []);
  return {
    command: [node.path, ...nodeOptions(node.version, packages && [program, ...packages]), program],
    packages,
    limits: allowAll ? undefined : { folder: target.kind === 'file' ? target.folder : undefined, kept },
    env: environmentOf(env, allowAll),
    cwd: settings.cwd,
    maxSeconds,
    clock,
  };
}
