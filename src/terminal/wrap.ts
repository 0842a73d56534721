// Text broken between words, so that no terminal breaks it inside of one.
import type { TextWidth } from './text-width.ts';

/** Lines no wider than this, where words allow it; all but the first begin with the indent. */
export function wrapWords(text: string, width: number, indent: string, ruler: TextWidth): string[] {
  const lines: string[] = [];
  const [, lead = '', rest = ''] = /^( *)(.*)$/s.exec(text) ?? [];
  let line = lead;
  let used = lead.length;
  let isEmpty = true;
  for (const word of rest.split(' ')) {
    const length = ruler.width(word);
    if (!isEmpty && used + 1 + length > width) {
      lines.push(line);
      line = indent;
      used = indent.length;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    used += isEmpty ? length : length + 1;
    isEmpty = false;
  }
  return [...lines, line];
}
