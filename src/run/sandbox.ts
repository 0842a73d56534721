// What the process of a val may do: Node's permission model, and an environment without secrets.
import { execPath, versions } from 'node:process';

/** Enough for a val. An endless loop that allocates fills it within seconds. */
const mostMegabytes = 512;

/** Node, its options and the program. The val may read these paths and use the network; `readable` absent: it may do everything. */
export function nodeCommand(program: string, readable: readonly string[] | undefined): [string, ...string[]] {
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  if (readable === undefined) return [execPath, ...options, program];
  return [
    execPath,
    ...options,
    `--max-old-space-size=${mostMegabytes}`,
    isSince(22, 13) ? '--permission' : '--experimental-permission',
    ...(isSince(25, 0) ? ['--allow-net'] : []),
    // The permission model does not cover it.
    ...(isSince(22, 5) ? ['--no-experimental-sqlite'] : []),
    ...readable.map((path) => `--allow-fs-read=${path}`),
    program,
  ];
}

function isSince(major: number, minor: number): boolean {
  const [ourMajor = 0, ourMinor = 0] = versions.node.split('.').map(Number);
  return ourMajor > major || (ourMajor === major && ourMinor >= minor);
}

/** Names of variables that hold secrets, as documented in SECURITY.md. */
const secretName = /TOKEN|SECRET|PASS|CREDENTIAL|AUTH(?!OR)|API_?KEY|(?:^|_)KEY(?:_|$)|^AWS_/i;
const passwordInAddress = /:\/\/[^/\s@]*:[^/\s@]+@/;

/** With NODE_OPTIONS, another program's settings could lift the sandbox or keep the val from starting. */
export function environmentOf(env: NodeJS.ProcessEnv, mayDoAll: boolean): NodeJS.ProcessEnv {
  const isKept = ([name, value = '']: [string, string | undefined]) => {
    if (/^VALS_/i.test(name)) return false;
    return mayDoAll || !(name === 'NODE_OPTIONS' || secretName.test(name) || passwordInAddress.test(value));
  };
  return Object.fromEntries(Object.entries(env).filter(isKept));
}
