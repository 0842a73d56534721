import type { Val } from '../store/val-rows.ts';
import { highlight, type LinkOf } from './highlight.ts';
import { type Html, html } from './html.ts';
import { card, counted } from './parts.ts';

export function codeCard({ code, version }: Val, rawAddress: string, linkOf: LinkOf): Html {
  const lines = highlight(code, linkOf);
  const rows = lines.map((line) => html`<span class="l">${line}\n</span>`);
  const tools = html`<span>version ${version}, ${counted(lines.length, 'line')}, ${counted(code.length, 'character')}</span>
<span class="tools"><button data-copy="${rawAddress}" hidden>Copy</button> <a href="${rawAddress}">Raw</a></span>`;
  return card('Code', html`<pre class="code" tabindex="0"><code>${rows}</code></pre>`, tools);
}
