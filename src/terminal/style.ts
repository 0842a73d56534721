// Whether to use colour: the flag, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal.

/** The styles that are used. */
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

const same = (text: string): string => text;
export const plain: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

/** The sixteen basic colours follow the user's theme. Without colour, chalk is not loaded. */
export async function createStyle(color: boolean): Promise<Style> {
  if (!color) return plain;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}

/** A help text with bold titles. */
export const withBoldTitles = (help: string, { bold }: Style): string =>
  help.replace(/^(?:Usage|Columns|\S.*(?=:$)):/gm, (title) => bold(title));
