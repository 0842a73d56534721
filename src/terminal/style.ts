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
export const plain: Style = { bold: asIs, dim: asIs, red: asIs, green: asIs, yellow: asIs, cyan: asIs };

export async function createStyle(color: boolean): Promise<Style> {
  if (!color) return plain;
  const { Chalk } = await import('chalk');
  // Level 1 has the sixteen basic colours, which follow the theme of the user's terminal.
  return new Chalk({ level: 1 });
}

export const withBoldTitles = (help: string, { bold }: Style): string =>
  help.replace(/^(?:Usage|Columns|\S.*(?=:$)):/gm, (title) => bold(title));

/** These terminals show clickable links (escape sequence OSC 8). Other terminals would show the sequence as text. */
const linkingPrograms = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'zed']);
const linkingTerminals = new Set(['xterm-kitty', 'xterm-ghostty', 'alacritty', 'foot', 'wezterm']);

export function understandsLinks(env: NodeJS.ProcessEnv): boolean {
  // tmux, screen and the logs of CI systems do not always understand the escape sequence of a link.
  if (env.TMUX || env.STY || env.CI) return false;
  return (
    Number(env.VTE_VERSION) >= 5000 ||
    Boolean(env.WT_SESSION || env.KONSOLE_VERSION || env.DOMTERM) ||
    linkingPrograms.has(env.TERM_PROGRAM ?? '') ||
    linkingTerminals.has(env.TERM ?? '')
  );
}

/**
 * Accepts only visible ASCII, because another character could end the escape sequence of the link. Refuses a
 * backslash, because `visible` writes escapes such as `\u200b`, which would make the address wrong.
 */
const isAddress = (text: string): boolean => /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text);

export const linked = (text: string, address: string): string =>
  isAddress(address) ? `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\` : text;
