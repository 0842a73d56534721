import { visibleLines } from '../../core/lib/visible.ts';

const markup = Symbol('markup');

/** Text that is HTML already. Only `html` and `trustedHtml` make it, so a plain string is always escaped. */
export interface Html {
  readonly [markup]: string;
}

export type HtmlPart = Html | string | number | undefined | readonly HtmlPart[];

/** The tag of templates: what is put into them is escaped, unless it is `Html`. `undefined` is nothing. */
export function html(texts: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  let markup = texts[0] ?? '';
  for (let index = 0; index < parts.length; index++) markup += markupOf(parts[index]) + texts[index + 1];
  return trustedHtml(markup);
}

/** For HTML that this program or a library made from text that it escaped. */
export const trustedHtml = (text: string): Html => ({ [markup]: text });

export const markupOf = (part: HtmlPart): string => {
  if (part === undefined) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return `${part}`;
  return isList(part) ? part.map(markupOf).join('') : part[markup];
};

/** `Array.isArray` does not know readonly arrays. */
const isList = (part: Html | readonly HtmlPart[]): part is readonly HtmlPart[] => Array.isArray(part);

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const mayNeedEscape = /[^\w .,:;=()[\]{}+*/-]/;

function escapeHtml(text: string): string {
  if (!mayNeedEscape.test(text)) return text;
  return visibleLines(text.replaceAll('\r\n', '\n')).replace(
    /[&<>"']/g,
    (character) => escapes[character] ?? '',
  );
}
