import type { Val } from '../store/val-rows.ts';
import { highlight, type LinkOf } from './highlight.ts';
import { type Html, html } from './html.ts';
import { card, counted, nothing } from './parts.ts';

/** A browser needs half a minute for a page of 256,000 lines. */
const mostLines = 20_000;

export function codeCard({ code, version }: Val, rawAddress: string, linkOf: LinkOf): Html {
  const lines = linesOf(code);
  const shown = `${lines.slice(0, mostLines).join('\n')}\n`;
  const rows = highlight(shown, linkOf).map((line) => html`<span class="l">${line}\n</span>`);
  const tools = html`<span>version ${version}, ${counted(lines.length, 'line')}, ${counted(code.length, 'character')}</span>
<span class="tools"><button data-copy="${rawAddress}" hidden>Copy</button> <a href="${rawAddress}">Raw</a></span>`;
  const more =
    lines.length > mostLines
      ? nothing(
          html`These are the first ${counted(mostLines, 'line')}. <a href="${rawAddress}">Raw</a> has all of them.`,
        )
      : '';
  return card('Code', html`<pre class="code" tabindex="0"><code>${rows}</code></pre>${more}`, tools);
}

/** A newline at the end begins no further line. */
function linesOf(code: string): string[] {
  const lines = code.split('\n');
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
