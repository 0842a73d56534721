import type { System } from '../lib/system.ts';

export type Style = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>;

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

const asIs = (text: string): string => text;
const plain: Style = { bold: asIs, dim: asIs, red: asIs, green: asIs, yellow: asIs, cyan: asIs };

export async function createStyle(color: boolean): Promise<Style> {
  if (!color) return plain;
  const { Chalk } = await import('chalk');
  // Level 1 has the sixteen basic colours, which follow the theme of the user's terminal.
  return new Chalk({ level: 1 });
}

export const withBoldTitles = (help: string, { bold }: Style): string =>
  help.replace(/^(?:Usage|Columns|\S.*(?=:$)):/gm, (title) => bold(title));

export const withoutColor = (text: string): string => text.replace(/\u001b\[\d+m/g, '');

export interface Glyphs {
  ok: string;
  failed: string;
  running: string;
  arrow: string;
  ellipsis: string;
  bars: readonly string[];
  spinner: 'dots' | 'line';
}

const unicode: Glyphs = {
  ok: '✓ ',
  failed: '✗ ',
  running: '… ',
  arrow: '→',
  ellipsis: '…',
  bars: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  spinner: 'dots',
};

const ascii: Glyphs = {
  ok: '',
  failed: '',
  running: '',
  arrow: '->',
  ellipsis: '...',
  bars: ['.', ':', '-', '=', '+', '*', '#', '@'],
  spinner: 'line',
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
