// Text measured as a terminal shows it: in columns, and between what a reader takes for characters.

export interface TextWidth {
  width(text: string): number;
  /** No wider than this; an ellipsis stands for the rest. */
  cut(text: string, width: number): string;
}

/** ASCII and the signs that we draw ourselves: a column for each. */
const isPlain = (text: string): boolean => /^[ -~…–→✓✗▁-█]*$/.test(text);

/** For these texts and their parts. Measuring what is not plain loads tables that cost 16 ms. */
export async function createTextWidth(texts: Iterable<string>, ellipsis = '…'): Promise<TextWidth> {
  let measure: ((text: string) => number) | undefined;
  for (const text of texts) {
    if (isPlain(text)) continue;
    measure = (await import('string-width')).default;
    break;
  }
  const width = (text: string): number =>
    measure === undefined || isPlain(text) ? text.length : measure(text);

  function cut(text: string, limit: number): string {
    if (width(text) <= limit) return text;
    const sign = ellipsis.slice(0, limit);
    if (isPlain(text)) return text.slice(0, limit - sign.length) + sign;
    let kept = '';
    let used = sign.length;
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      used += width(segment);
      if (used > limit) break;
      kept += segment;
    }
    return kept + sign;
  }

  return { width, cut };
}
