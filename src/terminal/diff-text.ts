// A unified diff for a person's eyes: coloured, and unable to move the terminal.
import { visibleLines } from './escape.ts';
import { createStyle, type Style } from './style.ts';

export async function paintDiff(
  text: string,
  { color, redact }: { color: boolean; redact(text: string): string },
): Promise<string> {
  const style = await createStyle(color);
  return visibleLines(redact(text))
    .split('\n')
    .map((line) => paintLine(line, style))
    .join('\n');
}

function paintLine(line: string, { bold, cyan, green, red, yellow, dim }: Style): string {
  if (line === '') return line;
  // Lines of a diff have a sign before them: this is what we say of it.
  if (!/^[-+@\\ ]/.test(line)) return yellow(line);
  if (/^(?:---|\+\+\+) /.test(line)) return bold(line);
  if (line.startsWith('@@')) return cyan(line);
  if (line.startsWith('+')) return green(line);
  if (line.startsWith('-')) return red(line);
  return line.startsWith('\\') ? dim(line) : line;
}
