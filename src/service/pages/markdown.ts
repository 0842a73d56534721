import MarkdownIt from 'markdown-it';
import { visibleLines } from '../../core/lib/visible.ts';
import { type Html, html, markupOf, trustedHtml } from './html.ts';

const markdown = new MarkdownIt({ html: false, linkify: true });

/** Of a kind that runs nothing. A relative address names a file beside the readme, which the service does not have. */
markdown.validateLink = (address) => /^(?:https?:|mailto:|\/|#)/i.test(address);

/** `README.md` is the name of a file, although .md is also that of a country. */
markdown.linkify.set({ fuzzyLink: false });

/** The pages load no images, so that no other server learns who reads a readme. */
markdown.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  const address = token?.attrGet('src') ?? '';
  return markupOf(html`<a href="${address}">${token?.content || 'image'}</a>`);
};

/** A page has the headings h1 and h2 already. */
const headingsAbove = 2;

export function markdownHtml(text: string): Html {
  const tokens = markdown.parse(visibleLines(text.replaceAll('\r\n', '\n')), {});
  for (const token of tokens) {
    if (/^heading_/.test(token.type)) {
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + headingsAbove)}`;
    }
  }
  return trustedHtml(markdown.renderer.render(tokens, markdown.options, {}));
}
