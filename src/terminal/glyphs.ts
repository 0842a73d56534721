import type { System } from '../lib/system.ts';

export interface Glyphs {
  ok: string;
  failed: string;
  running: string;
  arrow: string;
  ellipsis: string;
  dash: string;
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

/** In POSIX, a missing locale means ASCII. macOS and Windows terminals show Unicode without a locale. */
export function showsUnicode(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (env.TERM === 'dumb') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  if (!locale) return platform === 'darwin' || platform === 'win32';
  return /utf-?8/i.test(locale);
}
