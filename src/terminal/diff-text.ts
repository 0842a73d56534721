// Unified diffs for a person's eyes: coloured, with their meaning above them, and unable to move the terminal.
import { visible, visibleLines } from './escape.ts';
import type { Section } from './result.ts';
import type { Screen } from './screen.ts';
import type { Style } from './style.ts';
import { createTextWidth } from './text-width.ts';
import { wrapWords } from './wrap.ts';

export async function formatSections(sections: readonly Section[], screen: Screen): Promise<string> {
  const { style, redact, width } = screen;
  const blocks: string[] = [];
  for (const { heading, shown } of sections) {
    const said = visible(redact(heading ?? ''));
    const lines = said === '' ? [] : wrapWords(said, width, '', await createTextWidth([said]));
    const diff = visibleLines(redact(shown)).split('\n');
    blocks.push(
      [...lines.map((line) => style.yellow(line)), ...diff.map((line) => paintLine(line, style))].join('\n'),
    );
  }
  return blocks.join('\n');
}

function paintLine(line: string, { bold, cyan, green, red, dim }: Style): string {
  if (line === '') return line;
  if (/^(?:---|\+\+\+) /.test(line)) return bold(line);
  if (line.startsWith('@@')) return cyan(line);
  if (line.startsWith('+')) return green(line);
  if (line.startsWith('-')) return red(line);
  return line.startsWith('\\') ? dim(line) : line;
}
