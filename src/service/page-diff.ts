// What changed from one text to another, as HTML: the lines that went and came, with some around them.
import { structuredPatch } from 'diff';
import { shown } from './html.ts';

/** The time grows with the lines and with the edits between them, and everybody else waits for it. */
const mostLines = 20_000;
const mostEdits = 1_000;
const mostMs = 100;

/** Undefined if it would take too long; empty if the texts are the same. */
export function diffHtml(before: string, after: string): string | undefined {
  if ([before, after].some((text) => text.split('\n', mostLines + 1).length > mostLines)) return undefined;
  const options = { context: 3, maxEditLength: mostEdits, timeout: mostMs };
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
