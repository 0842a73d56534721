import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import { join, win32 } from 'node:path';

const mostMegabytes = 512;

export function nodeOptions(
  version: string,
  readable: readonly string[] | undefined,
  platform: NodeJS.Platform,
): string[] {
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  if (readable === undefined) return options;
  const isSince = (major: number, minor: number) => compare(version, major, minor) >= 0;
  return [
    ...options,
    `--max-old-space-size=${mostMegabytes}`,
    isSince(22, 13) ? '--permission' : '--experimental-permission',
    ...(isSince(25, 0) ? ['--allow-net'] : []),
    // Without the next three options, a val could use V8 flags, traces or heap snapshots to write files.
    '--freeze-flags-after-init',
    `--trace-event-file-pattern=${devNull}`,
    `--diagnostic-dir=${devNull}`,
    ...(isSince(22, 5) ? ['--no-experimental-sqlite'] : []),
    ...eachOnce(readable, platform)
      .flatMap(withContents)
      .map((path) => `--allow-fs-read=${path}`),
  ];
}

/** A missing folder needs `*` too, because Node 20.18 otherwise fails when it looks for a package in that folder. */
const withContents = (path: string): string[] => (existsSync(path) ? [path] : [path, join(path, '*')]);

/** On Windows, Node 20 crashes if the options contain one path in two spellings. */
function eachOnce(paths: readonly string[], platform: NodeJS.Platform): string[] {
  if (platform !== 'win32') return [...new Set(paths)];
  return [...new Map(paths.map(win32.normalize).map((path) => [path.toLowerCase(), path])).values()];
}

function compare(version: string, major: number, minor: number): number {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor - major || ownMinor - minor;
}

// SECURITY.md describes which variables look like secrets. Change SECURITY.md together with these patterns.
const secretNames = [
  /TOKEN|SECRET|PASS|PWD|CREDENTIAL|COOKIE|SESSION|DSN|JWT|PRIVATE|WEBHOOK|CONNECTION_?STRING/i,
  /AUTH(?!OR)|KEY(?!BOARD)|^AWS_|(?:^|_)(?:PAT|PW)(?:_|$)/i,
];
const harmlessNames = ['PWD', 'OLDPWD'];
const secretValue =
  /:\/\/[^/\s]*@|:[^/\s@]+(?:\/[^:\s@]*)?@|(?:password|pwd|secret|token|key)\s*=|-----BEGIN/i;

const looksGenerated = (value: string): boolean =>
  !value.startsWith('/') &&
  (value.match(/[a-z\d]{20,}/gi) ?? []).some((word) => /\d/.test(word) && /[a-z]/i.test(word));

export const belongsToVals = (name: string): boolean => /^VALS_/i.test(name);

function reasonToWithhold(name: string, value: string): string | undefined {
  if (name === 'NODE_OPTIONS')
    return 'options of Node could turn off the sandbox, or keep the val from starting';
  const hasSecretName = !harmlessNames.includes(name) && secretNames.some((pattern) => pattern.test(name));
  const isSecret = hasSecretName || secretValue.test(value) || looksGenerated(value);
  return isSecret ? 'the variable looks like a secret' : undefined;
}

export function environmentOf(env: NodeJS.ProcessEnv, allowed: readonly string[] | 'all'): NodeJS.ProcessEnv {
  const isAllowed = ([name, value = '']: [string, string | undefined]) => {
    if (belongsToVals(name)) return false;
    if (allowed === 'all' || allowed.includes(name)) return true;
    return reasonToWithhold(name, value) === undefined;
  };
  return Object.fromEntries(Object.entries(env).filter(isAllowed));
}

export function missingVariables(
  code: string,
  env: NodeJS.ProcessEnv,
  valEnv: NodeJS.ProcessEnv,
): { name: string; reason: string }[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (name in valEnv || belongsToVals(name) || !code.includes(name)) return [];
    const reason = reasonToWithhold(name, value);
    return reason === undefined ? [] : [{ name, reason }];
  });
}
