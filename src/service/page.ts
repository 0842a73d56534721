// The page for a browser: a list of the vals, and one val with its code and versions. Plain HTML, without script.
import { createHash } from 'node:crypto';
import { unicodeEscape } from '../lib/json.ts';
import type { ListedVal, Val } from './store.ts';

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
ul { list-style: none; padding: 0; }
li { padding: .3rem 0; }
small { opacity: .7; }
pre { border: 1px solid; border-radius: .3rem; overflow: auto; padding: .7rem; tab-size: 2; }
`;

/** Nothing but this style is loaded or run, and no other page can frame this one. */
export const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

/** Its links name only a query: the page is at more than one path. */
export function listPage(vals: readonly ListedVal[], number: number, next: number | undefined): string {
  if (vals.length === 0 && number === 1) {
    return page('No vals yet', ['<p>Push one: <code>vals push hello.ts</code></p>']);
  }
  const items = vals.map((val) => `<li><a href="${linkTo(val)}">${shown(val.name)}</a> ${facts(val)}</li>`);
  const neighbours = [
    ...(number > 1 ? [`<a href="?page=${number - 1}">Newer</a>`] : []),
    ...(next === undefined ? [] : [`<a href="?page=${next}">Older</a>`]),
  ];
  return page('Vals', ['<ul>', ...items, '</ul>', `<p>${neighbours.join(' ')}</p>`]);
}

/** A val as it was at one of its versions, whose numbers are given newest first. */
export function valPage(val: Val, versions: readonly number[]): string {
  const { id, name, version, code, readme } = val;
  const links = versions.map((number) =>
    number === version ? `<b>${number}</b>` : `<a href="${linkTo(val)}&amp;version=${number}">${number}</a>`,
  );
  return page(`${name}, version ${version}`, [
    '<p><a href="?">All vals</a></p>',
    `<p>${facts(val)}<br><small>${shown(id)}</small></p>`,
    `<p>Versions: ${links.join(' ')}</p>`,
    ...(readme ? [`<pre>${shown(readme)}</pre>`] : []),
    `<pre><code>${shown(code)}</code></pre>`,
  ]);
}

const linkTo = ({ id }: ListedVal): string => `?val=${encodeURIComponent(id)}`;

const facts = ({ version, privacy, updatedAt }: ListedVal): string =>
  `<small>version ${version}, ${shown(privacy)}, ${shown(updatedAt)}</small>`;

export const refusalPage = (): string =>
  page('Not without the link', [
    '<p>This page shows the code of private vals. Open it with the link that <code>vals serve</code> shows in its terminal.</p>',
    '<p>Each link is good for one visit; after this one, the terminal shows a new link.</p>',
  ]);

function page(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${shown(title)}</title>
<style>${style}</style>
<h1>${shown(title)}</h1>
${parts.join('\n')}
</html>
`;
}

/** Control characters, and what turns the direction of writing: code must not look other than it is. */
const misleading = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const references: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const shown = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(misleading, unicodeEscape)
    .replace(/[&<>"']/g, (character) => references[character] ?? '');
