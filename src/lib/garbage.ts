// Long work in less memory: garbage is collected before it is half as much as what is alive.

/** With fewer things to do there is little of it. */
const manyThings = 1_000;

/** Beside those that Node has. */
const flags = {
  /** V8 lets it grow to several times of what is alive, 60 MB in a push of 10,000 vals. */
  'heap-growing-percent': { frugal: 50, usual: 0 },
  /** And of what is new it takes 96 MB to collect it in one go, from Node 24 on. */
  'semi-space-growth-factor': { frugal: 1, usual: 2 },
};

/** The flags are set back at the end: while they differ from what Node was built with, V8 refuses compiled code. */
export async function withLittleGarbage<Result>(
  things: number,
  work: () => Promise<Result>,
): Promise<Result> {
  if (things < manyThings) return work();
  set('frugal');
  try {
    return await work();
  } finally {
    set('usual');
  }
}

function set(way: 'frugal' | 'usual'): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const [flag, values] of Object.entries(flags)) setFlagsFromString(`--${flag}=${values[way]}`);
}

/**
 * For a long list, on and off again. From V8 12 on, what compiling took is freed by another thread than took it, and so
 * the memory stays with both, 10 MB of it. An older V8 does not know the flag, and says so on stderr.
 */
export function freeWhereTaken(isOn: boolean): void {
  if (Number.parseInt(process.versions.v8, 10) < 12) return;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString(`--${isOn ? 'no-' : ''}maglev-destroy-on-background`);
}
