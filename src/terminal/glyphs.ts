// The marks that vals draws, in ASCII for a terminal without Unicode. Data stays as it is.
import type { System } from '../lib/system.ts';

export interface Glyphs {
  /** The marks before a success and a failure, which have a colour too. */
  ok: string;
  failed: string;
  /** The mark before a run that has not ended. */
  running: string;
  /** Between two versions. */
  arrow: string;
  /** In place of text that was cut off. */
  ellipsis: string;
  /** Between the ends of a period. */
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

/** ASCII has no marks for success and failure. The words beside them say the same. */
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

/** Without a locale, POSIX means ASCII. Terminals of macOS and Windows show Unicode without a locale. */
export function showsUnicode(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (env.TERM === 'dumb') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  if (!locale) return platform === 'darwin' || platform === 'win32';
  return /utf-?8/i.test(locale);
}
