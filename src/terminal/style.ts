// Colours, other styles and links of text.

export type Style = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>;

/** The flag decides first, then NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal. */
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

/** The sixteen basic colours follow the user's theme. Without colour, chalk is not loaded. */
export async function createStyle(color: boolean): Promise<Style> {
  if (!color) return plain;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}

export const withBoldTitles = (help: string, { bold }: Style): string =>
  help.replace(/^(?:Usage|Columns|\S.*(?=:$)):/gm, (title) => bold(title));

/** Terminals that are known to make addresses clickable (OSC 8). Other terminals would show the escape sequence as text. */
const linkingPrograms = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'zed']);
const linkingTerminals = new Set(['xterm-kitty', 'xterm-ghostty', 'alacritty', 'foot', 'wezterm']);

export function understandsLinks(env: NodeJS.ProcessEnv): boolean {
  // A terminal multiplexer such as tmux may not pass the escape sequence of a link to the terminal.
  if (env.TMUX || env.STY || env.CI) return false;
  return (
    Number(env.VTE_VERSION) >= 5000 ||
    Boolean(env.WT_SESSION || env.KONSOLE_VERSION || env.DOMTERM) ||
    linkingPrograms.has(env.TERM_PROGRAM ?? '') ||
    linkingTerminals.has(env.TERM ?? '')
  );
}

/**
 * Allows only visible ASCII, so that no character ends the escape sequence of the link early. Allows no backslash, because a
 * text with a backslash was escaped and is not the real address.
 */
const isAddress = (text: string): boolean => /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text);

/** Makes the text a link to the address. The text may be only a part of the address. */
export const linked = (text: string, address: string): string =>
  isAddress(address) ? `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\` : text;
