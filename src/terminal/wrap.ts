// Text broken between words, so that no terminal breaks it inside of one.
import type { TextWidth } from './text-width.ts';

/** A word, or a command between backquotes, which is copied whole; with the space before it. */
const words = /(\s*)((?:`[^`]*`|\S)+)/g;

/** Lines no wider than this, where words allow it; all but the first begin with the indent. */
export function wrapWords(text: string, width: number, indent: string, textWidth: TextWidth): string[] {
  if (textWidth.width(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const [, space = '', word = ''] of text.matchAll(words)) {
    const next = `${line}${space}${word}`;
    if (line.trim() === '' || textWidth.width(next) <= width) {
      line = next;
    } else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line];
}
