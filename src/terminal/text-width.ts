// Text measured as a terminal shows it: in columns, and between what a reader takes for characters.

export interface TextWidth {
  width(text: string): number;
  /** No wider than this; an ellipsis stands for the rest. */
  cut(text: string, width: number): string;
  /** Exactly this wide. */
  fit(text: string, width: number): string;
}

/** ASCII, the ellipsis of what was cut, and the bars of a chart: a column for each. */
const isPlain = (text: string): boolean => /^[ -~…▁-█]*$/.test(text);

/** For these texts and their parts. Measuring what is not plain loads tables that cost 16 ms. */
export async function createTextWidth(texts: readonly string[]): Promise<TextWidth> {
  const measure = texts.every(isPlain) ? undefined : (await import('string-width')).default;
  const width = (text: string): number =>
    measure === undefined || isPlain(text) ? text.length : measure(text);

  function cut(text: string, limit: number): string {
    if (width(text) <= limit) return text;
    if (isPlain(text)) return `${text.slice(0, limit - 1)}…`;
    let kept = '';
    let used = 0;
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      used += width(segment);
      if (used > limit - 1) break;
      kept += segment;
    }
    return `${kept}…`;
  }

  function fit(text: string, limit: number): string {
    const shown = cut(text, limit);
    return shown + ' '.repeat(Math.max(0, limit - width(shown)));
  }

  return { width, cut, fit };
}
