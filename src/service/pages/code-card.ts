import { spacePrefix } from '../request.ts';
import { importedIds, type Token, type TokenKind, tokensOf, valIdIn } from '../scan-code.ts';
import { readableIds, type StoredVal } from '../store/vals.ts';
import { type Html, html } from './html.ts';
import { card, counted, valAddress } from './parts.ts';
import type { Visit } from './visitor.ts';

/** The address of the val that a string in the code names, if the string is the name of a module. */
export type LinkOf = (specifier: string) => string | undefined;

/** More than the longest code has, minified or not. What follows the last of them is plain, so that a page is made quickly. */
const mostColoured = 25_000;

/** The code with colours, as one piece of HTML for each line. */
export function highlight(code: string, linkOf: LinkOf = () => undefined): Html[] {
  const lines: Html[] = [];
  let line: Html[] = [];
  for (const { text, kind } of colouredTokens(code.replaceAll('\r\n', '\n'))) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) {
        lines.push(html`${line}`);
        line = [];
      }
      if (part !== '') line.push(tokenHtml(part, kind, linkOf));
    }
  }
  return line.length > 0 || lines.length === 0 ? [...lines, html`${line}`] : lines;
}

/** The tokens, of which neighbours without a colour are one. */
function* colouredTokens(code: string): Generator<Token> {
  let coloured = 0;
  let end = 0;
  let endOfShown = 0;
  for (const token of tokensOf(code)) {
    const begin = end;
    end += token.text.length;
    if (token.kind === undefined) continue;
    yield { text: code.slice(endOfShown, begin), kind: undefined };
    yield token;
    endOfShown = end;
    coloured++;
    if (coloured === mostColoured) break;
  }
  yield { text: code.slice(endOfShown), kind: undefined };
}

function tokenHtml(text: string, kind: TokenKind | undefined, linkOf: LinkOf): Html {
  if (kind === undefined) return html`${text}`;
  const address = kind === 's' ? linkOf(text.slice(1, -1)) : undefined;
  const shown = address === undefined ? text : html`<a href="${address}">${text}</a>`;
  return html`<span class="${kind}">${shown}</span>`;
}

/** Links from the imports in the code to those vals that the visitor may read. */
async function importLinks({ db, request, inTurn }: Visit, code: string): Promise<LinkOf> {
  const { access, origin, space } = request;
  const readable = await readableIds(db, access, await inTurn(() => importedIds(code, origin)));
  return (specifier) => {
    const id = valIdIn(specifier, origin);
    return id !== undefined && readable.has(id) ? valAddress(spacePrefix(space), id) : undefined;
  };
}

export async function codeCard(visit: Visit, val: StoredVal, rawAddress: string): Promise<Html> {
  const linkOf = await importLinks(visit, val.code);
  return visit.inTurn(() => highlightedCard(val, rawAddress, linkOf));
}

function highlightedCard({ code, version }: StoredVal, rawAddress: string, linkOf: LinkOf): Html {
  const lines = highlight(code, linkOf);
  const rows = lines.map((line) => html`<span class="l">${line}\n</span>`);
  const tools = html`<span>version ${version}, ${counted(lines.length, 'line')}, ${counted(code.length, 'character')}</span>
<span class="tools"><button data-copy="${rawAddress}" hidden>Copy</button> <a href="${rawAddress}">Raw</a></span>`;
  return card('Code', html`<pre class="code" tabindex="0"><code>${rows}</code></pre>`, tools);
}
