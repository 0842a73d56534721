// The page for a browser: the vals there are, their code and versions. Plain HTML, without script.
import { createHash } from 'node:crypto';
import { unicodeEscape } from '../lib/json.ts';
import type { Val } from './store.ts';

/** A val with the numbers of its versions, newest first. */
export interface ShownVal extends Val {
  versions: readonly number[];
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
summary { cursor: pointer; padding: .3rem 0; }
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
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

export function listPage(vals: readonly ShownVal[], more: boolean): string {
  const title = vals.length === 0 ? 'No vals yet' : 'Vals';
  return page(title, [
    ...(vals.length === 0
      ? ['<p>Push one: <code>vals push hello.ts</code></p>']
      : vals.map((val) => valSection(val))),
    ...(more ? ['<p>There are more; <code>vals</code> has them all.</p>'] : []),
  ]);
}

export const versionPage = (val: ShownVal): string =>
  page(`${val.name}, version ${val.version}`, ['<p><a href="/">All vals</a></p>', valSection(val, true)]);

export const refusalPage = (): string =>
  page('Not without the link', [
    '<p>This page shows the code of private vals. Open it with the link that <code>vals serve</code> shows in its terminal.</p>',
    '<p>Each link is good for one visit; after this one, the terminal shows a new link.</p>',
  ]);

function valSection(val: ShownVal, isOpen = false): string {
  const { id, name, privacy, version, updatedAt, versions, code, readme } = val;
  const links = versions.map((number) =>
    number === version
      ? `<b>${number}</b>`
      : `<a href="/?val=${encodeURIComponent(id)}&amp;version=${number}">${number}</a>`,
  );
  return `<details${isOpen ? ' open' : ''}>
<summary>${shown(name)} <small>version ${version}, ${shown(privacy)}, ${shown(updatedAt)}</small></summary>
<p><small>${shown(id)}</small></p>
<p>Versions: ${links.join(' ')}</p>
${readme ? `<pre>${shown(readme)}</pre>\n` : ''}<pre><code>${shown(code)}</code></pre>
</details>`;
}

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
