/** What the releases of Node can do: the first release of each line that can. Later lines can, too. */
const since = {
  /** `module.registerHooks`: loader hooks in the val's own thread, for `require` too. Before, they need a thread. */
  hooksInThread: ['22.15', '23.5'],
  /** `--permission`. Before, it is `--experimental-permission`. */
  stablePermissions: ['22.13', '23.5'],
  /** The permission model refuses the network, unless `--allow-net` is given. */
  refusesNetwork: ['25.0'],
  /** Under the permission model, `--allow-inspector` starts the debugger. Before, it never starts, and nothing says so. */
  inspectorInSandbox: ['24.12', '25.2'],
} as const;

export type NodeAbility = keyof typeof since;

/** Each release of an odd line is older than the next even line, so the last release in a row counts for all later lines. */
export function nodeCan(ability: NodeAbility, version: string): boolean {
  const { major, minor } = partsOf(version);
  const firsts = since[ability].map(partsOf);
  const last = firsts.at(-1);
  const ofLine = firsts.find((first) => first.major === major);
  return ofLine ? minor >= ofLine.minor : last !== undefined && major > last.major;
}

function partsOf(version: string): { major: number; minor: number } {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return { major, minor };
}
