// Makes addresses clickable (OSC 8) in terminals that are known to support it. Others would show the sequence as text.

const programs = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'zed']);
const terminals = new Set(['xterm-kitty', 'xterm-ghostty', 'alacritty', 'foot', 'wezterm']);

export function understandsLinks(env: NodeJS.ProcessEnv): boolean {
  // A multiplexer may not pass the sequence on.
  if (env.TMUX || env.STY || env.CI) return false;
  return (
    Number(env.VTE_VERSION) >= 5000 ||
    Boolean(env.WT_SESSION || env.KONSOLE_VERSION || env.DOMTERM) ||
    programs.has(env.TERM_PROGRAM ?? '') ||
    terminals.has(env.TERM ?? '')
  );
}

/** Only visible ASCII, so that nothing ends the sequence early. A backslash marks escaped text. */
const isAddress = (text: string): boolean => /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text);

/** Makes the text a link to the address. The text may be only a part of the address. */
export const linked = (text: string, address: string): string =>
  isAddress(address) ? `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\` : text;
