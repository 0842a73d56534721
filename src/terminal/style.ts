// Colours and other styles of text.

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

const same = (text: string): string => text;
export const plain: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

/** The sixteen basic colours follow the user's theme. Without colour, chalk is not loaded. */
export async function createStyle(color: boolean): Promise<Style> {
  if (!color) return plain;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}

export const withBoldTitles = (help: string, { bold }: Style): string =>
  help.replace(/^(?:Usage|Columns|\S.*(?=:$)):/gm, (title) => bold(title));
