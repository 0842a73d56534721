// What the figures were measured on; without it they say nothing.
import { cpus, release, totalmem, type } from 'node:os';

/** @typedef {ReturnType<typeof describeMachine>} Machine */

export function describeMachine() {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()} ${process.arch}`,
  };
}
