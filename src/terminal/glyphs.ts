// The marks that vals draws, such as ✓. A terminal without Unicode gets ASCII marks. Data from the service is not changed.
import type { System } from '../lib/system.ts';

export interface Glyphs {
  /** `ok` is the mark before a success, and `failed` is the mark before a failure. */
  ok: string;
  failed: string;
  /** The mark before a run that has not ended. */
  running: string;
  /** The arrow between two versions. */
  arrow: string;
  /** Replaces text that was cut off. */
  ellipsis: string;
  /** The dash between the start and the end of a period. */
  dash: string;
  /** The bars of a chart, the lowest bar first. */
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

/** ASCII has no marks for success and failure. The text after the mark says the same. */
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
