export interface TextWidth {
  width(text: string): number;
  cut(text: string, width: number): string;
  /** A word that is wider than `width` stays whole. Each line except the first begins with `indent`. */
  wrap(text: string, width: number, indent?: string): string[];
}

/** ASCII and the marks in style.ts are one column wide. */
const isPlain = (text: string): boolean => /^[ -~…–→✓✗▁-█]*$/.test(text);

/**
 * A command between backticks counts as one word, so that the user can copy it. Call trimEnd on the text
 * first, because the pattern takes hours for a text that ends with a million spaces.
 */
const words = /(\s*)((?:`[^`]*`|\S)+)/g;

/** Each character of a longer text counts as one column, because measuring a very long text takes minutes on Node 20. */
const longestMeasured = 4_000;

/** Loads string-width only if a text is not plain, because loading takes 16 ms. */
export async function createTextWidth(texts: Iterable<string>, ellipsis = '…'): Promise<TextWidth> {
  let measure: ((text: string) => number) | undefined;
  for (const text of texts) {
    if (isPlain(text)) continue;
    measure = (await import('string-width')).default;
    break;
  }
  const width = (text: string): number =>
    measure === undefined || text.length > longestMeasured || isPlain(text) ? text.length : measure(text);

  function cut(text: string, limit: number): string {
    if (width(text) <= limit) return text;
    const sign = ellipsis.slice(0, limit);
    if (isPlain(text)) return text.slice(0, limit - sign.length) + sign;
    const beginning = text.slice(0, longestMeasured / 2);
    let kept = '';
    let used = sign.length;
    for (const { segment } of new Intl.Segmenter().segment(beginning)) {
      used += width(segment);
      if (used > limit) break;
      kept += segment;
    }
    return kept + sign;
  }

  function wrap(text: string, limit: number, indent = ''): string[] {
    if (width(text) <= limit) return [text];
    const lines: string[] = [];
    let line = '';
    let lineWidth = 0;
    for (const [, space = '', word = ''] of text.trimEnd().matchAll(words)) {
      const wordWidth = width(word);
      const longerWidth = lineWidth + width(space) + wordWidth;
      if (line.trim() === '' || longerWidth <= limit) {
        line += space + word;
        lineWidth = longerWidth;
      } else {
        lines.push(line);
        line = indent + word;
        lineWidth = indent.length + wordWidth;
      }
    }
    return [...lines, line];
  }

  return { width, cut, wrap };
}
