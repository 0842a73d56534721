import { scanCode, type TokenKind } from '../scan-code.ts';
import { type Html, html } from './html.ts';

/** The address of the val that a string in the code names, if the string is the name of a module. */
export type LinkOf = (specifier: string) => string | undefined;

/** So that a browser shows a page of the longest code at once. What follows the last of them has no colours and links. */
export const mostShownTokens = 20_000;

/** The code with colours, as one piece of HTML for each line. */
export function highlight(code: string, linkOf: LinkOf = () => undefined): Html[] {
  const lines: Html[] = [];
  let line: Html[] = [];
  const addToLine = (text: string, kind: TokenKind | undefined) => {
    if (text !== '') line.push(tokenHtml(text, kind, linkOf));
  };
  const add = (text: string, kind: TokenKind | undefined) => {
    const [first = '', ...others] = text.includes('\n') ? text.split('\n') : [text];
    addToLine(first, kind);
    for (const other of others) {
      lines.push(html`${line}`);
      line = [];
      addToLine(other, kind);
    }
  };
  scanCode(code.replaceAll('\r\n', '\n'), add, mostShownTokens);
  return line.length > 0 || lines.length === 0 ? [...lines, html`${line}`] : lines;
}

function tokenHtml(text: string, kind: TokenKind | undefined, linkOf: LinkOf): Html {
  if (kind === undefined) return html`${text}`;
  const address = kind === 's' ? linkOf(text.slice(1, -1)) : undefined;
  const shown = address === undefined ? text : html`<a href="${address}">${text}</a>`;
  return html`<span class="${kind}">${shown}</span>`;
}
