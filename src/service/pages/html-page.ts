import { createHash } from 'node:crypto';
import type { Caller, User } from '../store/caller.ts';
import type { ListedVal } from '../store/val-rows.ts';
import { escapeHtml } from './code-html.ts';
import { copyScript, style } from './page-style.ts';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** With the referrer policy `no-referrer`, browsers would send forms with `Origin: null`, which the service refuses. */
export const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    'img-src data:',
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(copyScript)}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
};

export interface Visitor {
  caller: Caller;
  spaces: readonly User[];
  canSignOut: boolean;
}

interface ListContent {
  vals: readonly ListedVal[];
  /** The ids of the vals whose last run failed. */
  failed: ReadonlySet<string>;
  number: number;
  next: number | undefined;
  now: number;
  visitor: Visitor;
}

export function listPage({ vals, failed, number, next, now, visitor }: ListContent): string {
  if (vals.length === 0 && number === 1) {
    const parts = [
      '<h1>No vals yet</h1>',
      '<p>Push a val: <code>vals push hello.ts</code>, then load this page again.</p>',
    ];
    return page('No vals yet', parts, visitor);
  }
  const items = vals.map((val) => {
    const by = `changed ${time(val.updatedAt, now)} by ${escapeHtml((val.versionAuthor ?? val.author).username)}`;
    const mark = failed.has(val.id) ? ' <span class="bad">✗ last run failed</span>' : '';
    return `<li><a href="${linkTo(val)}">${escapeHtml(val.name)}</a>${mark} <span class="meta">${badge(val)} <span>version ${val.version}</span> <span>${by}</span></span></li>`;
  });
  const neighbours = [
    ...(number > 1 ? [`<a href="?page=${number - 1}">Newer</a>`] : []),
    ...(next === undefined ? [] : [`<a href="?page=${next}">Older</a>`]),
  ];
  const parts = [
    '<h1>Vals</h1>',
    `<ul class="card vals">${items.join('\n')}</ul>`,
    `<p class="pages">${neighbours.join(' ')}</p>`,
  ];
  return page('Vals', parts, visitor);
}

export const refusalPage = (): string =>
  page('This page opens only with a link', [
    '<h1>This page opens only with a link</h1>',
    '<p>This page shows the code of private vals. Open it with <code>vals open</code>, or with the link that <code>vals serve</code> shows in its terminal.</p>',
    '<p>Each link works once. The terminal shows a new link now.</p>',
  ]);

export const problemPage = (title: string, detail: string): string =>
  page(title, [`<h1>${escapeHtml(title)}</h1>`, `<p>${escapeHtml(detail)}</p>`]);

export const signInPage = (action: string, problem?: string): string =>
  page('Sign in', [
    '<h1>Sign in</h1>',
    ...(problem === undefined ? [] : [`<p class="bad" role="alert">✗ ${escapeHtml(problem)}</p>`]),
    `<form method="post" action="${escapeHtml(action)}">`,
    '<p><label for="token">Your token</label></p>',
    '<p><input id="token" name="token" type="password" autocomplete="current-password" required autofocus>',
    '<button>Sign in</button></p>',
    '</form>',
    '<p>Ask the person who runs this service for a token (<code>vals user add</code>). On the command line: <code>vals login</code>.</p>',
  ]);

const signOut = '<form method="post" action="/sign-out"><button>Sign out</button></form>';

function spaceLinks({ caller: { owner, actor }, spaces }: Visitor): string {
  if (spaces.length === 0) return '';
  const link = (path: string, { id, username }: User) =>
    `<a href="${path}"${id === owner.id ? ' aria-current="page"' : ''}>${escapeHtml(username)}</a>`;
  const links = spaces.map((space) => link(`/@${encodeURIComponent(space.username)}/`, space));
  return `<nav aria-label="Spaces">${[link('/', actor), ...links].join(' ')}</nav>`;
}

export function page(title: string, parts: readonly string[], visitor?: Visitor): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
<header><a class="brand" href="?">vals</a>${visitor ? spaceLinks(visitor) : ''}${visitor?.canSignOut ? signOut : ''}</header>
<main>
${parts.join('\n')}
</main>
</html>
`;
}

/** The link has no path, because the page is served at several paths, such as `/` and `/@acme`. */
export const linkTo = ({ id }: ListedVal): string => `?val=${encodeURIComponent(id)}`;

export const badge = ({ privacy }: ListedVal): string =>
  `<span class="badge ${escapeHtml(privacy)}">${escapeHtml(privacy)}</span>`;

export function time(text: string, now: number): string {
  return `<time datetime="${escapeHtml(text)}" title="${escapeHtml(text)}">${escapeHtml(ageOf(text, now))}</time>`;
}

function ageOf(text: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(text)) / 1_000));
  if (Number.isNaN(seconds) || seconds > 30 * 86_400) return text.slice(0, 10);
  if (seconds < 60) return 'just now';
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}
