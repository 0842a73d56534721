// What all pages have in common.

import { createHash } from 'node:crypto';
import { longestSearch } from '../limits.ts';
import type { ServiceReply } from '../request.ts';
import { type Access, firstTokenName, isInSpace, type User } from '../store/access.ts';
import { type Html, type HtmlPart, html, markupOf, trustedHtml } from './html.ts';
import { script } from './script.ts';
import { style } from './stylesheet.ts';
import { firstPage, type PageView, spaceHome } from './visitor.ts';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** With the referrer policy `no-referrer`, browsers would send forms with `Origin: null`, which the service refuses. */
const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    'img-src data:',
    "connect-src 'self'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Content-Type': 'text/html; charset=UTF-8',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
};

interface PageContent {
  title: string;
  main: HtmlPart;
  /** The text in the search field. */
  query?: string;
  status?: number;
  headers?: Record<string, string>;
}

export function pageReply(
  view: PageView,
  { title, main, query, status = 200, headers }: PageContent,
): ServiceReply {
  const { visitor } = view;
  const space = visitor && isInSpace(visitor) ? ` · ${visitor.owner.username}` : '';
  const markup = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${title}${space} · vals</title>
<style>${trustedHtml(style)}</style>
<a class="skip" href="#main">Skip to the content</a>
${pageHeader(view, query)}
<main id="main">
${main}
</main>
<p id="said" class="said" role="status" aria-live="polite"></p>
<script>${trustedHtml(script)}</script>
</html>
`;
  return { status, headers: { ...headers, ...pageHeaders }, body: markupOf(markup) };
}

function pageHeader(view: PageView, query = ''): Html {
  const { visitor, base, here } = view;
  if (!visitor) {
    const address = `/sign-in?next=${encodeURIComponent(here)}`;
    return html`<header><a class="brand" href="/">vals</a>
<div class="who"><span>Not signed in</span> <a href="${address}">Sign in</a></div></header>`;
  }
  return html`<header><a class="brand" href="${firstPage(visitor)}">vals</a>
<nav aria-label="Pages">${ownerLinks(visitor)} <a href="${base}/runs">Runs</a></nav>
<form class="search" role="search" action="${base}/search">
<input type="search" name="q" value="${query}" aria-label="Search vals" placeholder="Search vals" required maxlength="${longestSearch}">
<button>Search</button></form>
<div class="who"><span>Signed in as <b>${visitor.actor.username}</b>${tokenText(visitor)}</span>
<form method="post" action="/sign-out"><button>Sign out</button></form></div></header>`;
}

/** What is not said of the first token, if it has no limits. */
function tokenText({ token, spaces, mayWrite }: Access): string {
  const [space] = token.spaceId === null ? [] : spaces;
  const texts = [
    ...(token.name === firstTokenName ? [] : [token.name]),
    ...(mayWrite ? [] : ['reads only']),
    ...(token.access === 'deploy' && mayWrite ? ['deploys only'] : []),
    ...(space ? [`for ${space.username} alone`] : []),
  ];
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

function ownerLinks({ actor, owner, spaces, token }: Access): Html[] {
  const link = (path: string, { id, username }: User) =>
    html`<a href="${path}"${id === owner.id ? html` aria-current="true"` : ''}>${username}</a> `;
  const links = spaces.map((space) => link(spaceHome(space), space));
  return token.spaceId === null ? [link('/', actor), ...links] : links;
}
