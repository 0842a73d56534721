// Measures text in terminal columns, and cuts it without splitting a visible character.

export interface TextWidth {
  width(text: string): number;
  /** Cuts the text to this width, with an ellipsis. */
  cut(text: string, width: number): string;
}

/** ASCII and our own marks are one column wide. */
const isPlain = (text: string): boolean => /^[ -~…–→✓✗▁-█]*$/.test(text);

/** Measures these texts and parts of them. Only text that is not plain needs tables, which load in 16 ms. */
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
