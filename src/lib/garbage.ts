// Long work in less memory: garbage is collected before it is half as much as what is alive.

/**
 * V8 lets it grow to several times of that, 60 MB in a push of 10,000 vals. The flag is set back at the end: while it
 * differs from what Node was built with, V8 refuses compiled code.
 */
export async function withLittleGarbage<Result>(work: () => Promise<Result>): Promise<Result> {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--heap-growing-percent=50');
  try {
    return await work();
  } finally {
    setFlagsFromString('--heap-growing-percent=0');
  }
}
