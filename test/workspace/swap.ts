import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';

type Calls = Record<string, (...args: unknown[]) => unknown>;

const isStep = /^(?:open|lstat|stat|exists|readFile|readdir|rename|mkdir|rm|unlink|writeFile)(?:Sync)?$/;

const held = /^\/proc\/self\/fd\/\d+/;

export async function whileSwapping<T>(
  { place, target, after }: { place: string; target: string; after: number },
  work: () => Promise<T>,
): Promise<T> {
  const { renameSync, symlinkSync, readlinkSync } = fs;
  let left = after;
  const isThere = (arg: unknown) =>
    typeof arg === 'string' &&
    `${resolve(arg.replace(held, (folder) => readlinkSync(folder)))}/`.startsWith(`${place}/`);
  const swapIn = () => {
    try {
      renameSync(place, `${place}.aside`);
      symlinkSync(target, place);
    } catch {
      // The `place` does not exist yet, so the next step tries the swap again.
      left += 1;
    }
  };

  const originals = [fs, fs.promises].map((module) => {
    const calls = module as unknown as Calls;
    const steps = Object.entries(calls).filter(([name]) => isStep.test(name));
    for (const [name, original] of steps) {
      calls[name] = (...args) => {
        if (args.some(isThere)) {
          if (left === 0) swapIn();
          left -= 1;
        }
        return original(...args);
      };
    }
    return { calls, steps };
  });
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    for (const { calls, steps } of originals) Object.assign(calls, Object.fromEntries(steps));
    syncBuiltinESMExports();
  }
}
