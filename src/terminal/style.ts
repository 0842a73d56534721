// Colour, where it is wanted: flag, then NO_COLOR, then FORCE_COLOR, then whether a terminal reads.
import { Chalk, type ChalkInstance } from 'chalk';

export function wantsColor(
  flag: boolean | undefined,
  env: NodeJS.ProcessEnv,
  stream: { isTerminal: boolean },
): boolean {
  if (flag !== undefined) return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTerminal && env.TERM !== 'dumb';
}

/** Sixteen colours do: they follow the user's theme, light or dark. */
export const createStyle = (color: boolean): ChalkInstance => new Chalk({ level: color ? 1 : 0 });
