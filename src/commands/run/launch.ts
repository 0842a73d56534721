import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { shell } from '../../lib/shell-command.ts';
import { findNode } from '../../run/find-node.ts';
import { readablePackages, refuseCommonBeginnings, refuseStars } from '../../run/packages.ts';
import type { LaunchOptions } from '../../run/run.ts';
import { environmentOf, missingVariables, nodeOptions } from '../../run/sandbox.ts';
import type { Entry } from '../../run/sources.ts';
import type { Target, Wanted } from '../../run/target.ts';

export interface GivenRun extends Wanted {
  args: string[];
  maxSeconds: number;
  allowAll?: boolean;
  env?: readonly string[];
  report?: boolean;
  port?: number;
}

export function launchOptions(
  { env, settings, clock, node: runtime, agent, say }: Context,
  { maxSeconds, allowAll = false, env: allowed = [] }: GivenRun,
  target: Target,
  { code }: Entry,
): Omit<LaunchOptions, 'onFile'> {
  const node = findNode(runtime, env);
  const program = realpathSync.native(join(__dirname, 'run', 'child.cjs'));
  const packages = allowAll ? undefined : readablePackages(target.packagesFrom);
  if (packages !== undefined) refuseStars(packages);
  const readable = packages && [program, ...packages];
  if (readable !== undefined) refuseCommonBeginnings(readable);
  const { platform } = settings.system;
  const privateFolders = [settings.configDirectory, settings.dataDirectory].flatMap(
    (folder) => folder?.value ?? [],
  );
  const valEnv = environmentOf(env, allowAll ? 'all' : allowed);
  for (const { name, reason } of missingVariables(code, env, valEnv)) {
    // The command does not name the val, because a local file with that name would get the secret instead.
    const command = shell`vals run --env ${name} <val>`;
    say.warn(
      `The val does not get the variable ${name}, because ${reason}. To pass the variable, run ${command}.`,
    );
  }
  return {
    command: [node.path, ...nodeOptions(node.version, readable, platform), program],
    packages,
    limits: allowAll
      ? undefined
      : { folder: target.kind === 'file' ? target.folder : undefined, privateFolders },
    env: valEnv,
    cwd: settings.cwd,
    platform,
    stdin: agent ? 'ignore' : 'inherit',
    maxSeconds,
    clock,
  };
}
