// Wraps text between words.
import type { TextWidth } from './text-width.ts';

/** A word, or a command between backticks, which stays whole; with the space before it. */
const words = /(\s*)((?:`[^`]*`|\S)+)/g;

/** Lines of at most this width, unless a word is longer. All but the first begin with the indent. */
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
