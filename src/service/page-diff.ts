// What changed from one text to another, as HTML: the lines that went and came, with some around them.
import { structuredPatch } from 'diff';
import { shown } from './html.ts';

/** Comparing texts that have next to nothing in common takes long and tells nothing. */
const mostEdits = 2_000;

/** Undefined where they differ too much to compare; empty where they are the same. */
export function diffHtml(before: string, after: string): string | undefined {
  const options = { context: 3, maxEditLength: mostEdits };
  const patch = structuredPatch('', '', before, after, '', '', options);
  return patch?.hunks
    .map(({ oldStart, newStart, lines }) => {
      const rows = lines.map(
        (line) => `<span class="${kinds[line.charAt(0)] ?? 'same'}">${shown(line) || ' '}</span>`,
      );
      return `<span class="hunk">line ${oldStart} → ${newStart}</span>${rows.join('')}`;
    })
    .join('');
}

const kinds: Record<string, string> = { '+': 'plus', '-': 'minus', '\\': 'hunk' };
