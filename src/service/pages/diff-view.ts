import { structuredPatch } from 'diff';
import { type Html, html } from './html.ts';

const options = { context: 3, maxEditLength: 1_000, timeout: 100 };
const lineClasses: Record<string, string> = { '+': 'plus', '-': 'minus', '\\': 'hunk' };

/** The changes as HTML: nothing if there are none, and undefined if there are too many to show. */
export function diffHtml(before: string, after: string): Html[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', options);
  return patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const rows = lines.map(
      (line) => html`<span class="${lineClasses[line.charAt(0)] ?? 'same'}">${line || ' '}</span>`,
    );
    return html`<span class="hunk">Lines ${rangeOf(oldStart, oldLines)} → ${rangeOf(newStart, newLines)}</span>${rows}`;
  });
}

const rangeOf = (start: number, count: number): string =>
  count <= 1 ? `${start}` : `${start}–${start + count - 1}`;
