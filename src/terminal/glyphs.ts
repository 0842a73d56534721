// The signs that we draw ourselves: in ASCII for a terminal that may not have the others. Data stays as it is.
import type { System } from '../lib/system.ts';

export interface Glyphs {
  /** Before what went well and what did not; with colour, so that neither stands alone. */
  ok: string;
  failed: string;
  /** Before what has not ended. */
  running: string;
  /** From one version to another. */
  arrow: string;
  /** For what was cut off. */
  ellipsis: string;
  /** Between the ends of a time. */
  dash: string;
  /** Bars of a chart, the lowest first. */
  bars: readonly string[];
}

export const unicode: Glyphs = {
  ok: '✓ ',
  failed: '✗ ',
  running: '… ',
  arrow: '→',
  ellipsis: '…',
  dash: '–',
  bars: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
};

/** The words beside the marks say the same. */
const ascii: Glyphs = {
  ok: '',
  failed: '',
  running: '',
  arrow: '->',
  ellipsis: '...',
  dash: '-',
  bars: ['.', ':', '-', '=', '+', '*', '#', '@'],
};

export const glyphsFor = (env: NodeJS.ProcessEnv, { platform }: System): Glyphs =>
  showsUnicode(env, platform) ? unicode : ascii;

/** By the locale, as POSIX reads it. Without one that is C, except on systems whose terminals do not ask for it. */
export function showsUnicode(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (env.TERM === 'dumb') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  if (!locale) return platform === 'darwin' || platform === 'win32';
  return /utf-?8/i.test(locale);
}
