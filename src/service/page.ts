// The HTML of the page: a list of vals, and one val with its code, versions, changes and runs. No script.
import { createHash } from 'node:crypto';
import { diffHtml, highlight, shown } from './code-html.ts';
import { style } from './page-style.ts';
import type { ListedVal, ListedVersion, Val } from './read-vals.ts';
import type { Principal } from './spaces.ts';
import type { User } from './users.ts';

/** Nothing but this style is loaded or run, and no other page can frame this one. */
const policy = (formAction: "'none'" | "'self'") =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');

export const pageHeaders = {
  'Content-Security-Policy': policy("'none'"),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

/** Without any referrer, a browser would send no usable Origin with the form. */
export const formHeaders = {
  ...pageHeaders,
  'Content-Security-Policy': policy("'self'"),
  'Referrer-Policy': 'same-origin',
};

/** The fields of a run that the page shows. A seed may lack any of them. */
interface ShownRun {
  val?: { version?: unknown } | null;
  runStartAt?: unknown;
  runEndAt?: unknown;
  error?: unknown;
  reporter?: { username?: unknown } | null;
}

interface Visitor {
  /** Whose vals are shown: a person's, or a space's. */
  user: Principal;
  /** Those that the person is a member of. */
  spaces: readonly User[];
  canSignOut: boolean;
}

interface ShownVal {
  val: Val;
  /** Newest first; one more than is shown if there are more. */
  versions: readonly ListedVersion[];
  runs: readonly ShownRun[];
  /** Of all runs; counted up to one more than `mostCounted`. */
  runCount: number;
  /** The version whose code this one is compared with. */
  before?: Val;
  now: number;
  visitor: Visitor;
}

interface ListPlace {
  number: number;
  next: number | undefined;
  now: number;
  visitor: Visitor;
}

const mostVersions = 50;
const longestMessage = 4_000;
/** The number of versions and runs that the page needs. */
export const pageReads = { versions: mostVersions + 1, runs: 20 };
/** To count more would take longer than the rest of the page. */
export const mostCounted = 10_000;

/** Links have only a query, because the page is at more than one path. */
export function listPage(vals: readonly ListedVal[], { number, next, now, visitor }: ListPlace): string {
  if (vals.length === 0 && number === 1) {
    return page(
      'No vals yet',
      [
        '<h1>No vals yet</h1>',
        '<p>Push one: <code>vals push hello.ts</code>, then load this page again.</p>',
      ],
      visitor,
    );
  }
  const items = vals.map((val) => {
    const by = `changed ${time(val.updatedAt, now)} by ${shown((val.versionAuthor ?? val.author).username)}`;
    return `<li><a href="${linkTo(val)}">${shown(val.name)}</a> <span class="facts">${badge(val)} <span>version ${val.version}</span> <span>${by}</span></span></li>`;
  });
  const neighbours = [
    ...(number > 1 ? [`<a href="?page=${number - 1}">Newer</a>`] : []),
    ...(next === undefined ? [] : [`<a href="?page=${next}">Older</a>`]),
  ];
  return page(
    'Vals',
    [
      '<h1>Vals</h1>',
      `<ul class="card vals">${items.join('\n')}</ul>`,
      `<p class="pages">${neighbours.join(' ')}</p>`,
    ],
    visitor,
  );
}

/** A val as it was at one of its versions. */
export function valPage(content: ShownVal): string {
  const { val, versions, before, now } = content;
  const { name, version, id, author, createdAt, updatedAt, likeCount, referenceCount } = val;
  const current = versions[0]?.version ?? version;
  const counts = [
    ...(likeCount > 0 ? [`<span>liked ${times(likeCount)}</span>`] : []),
    ...(referenceCount > 0 ? [`<span>used by ${referenceCount}</span>`] : []),
  ];
  const note =
    version === current
      ? []
      : [
          `<p class="note">This is version ${version}. <a href="${linkTo(val)}">See version ${current}, the current version</a></p>`,
        ];
  return page(
    `${name}, version ${version}`,
    [
      `<h1>${shown(name)}</h1>`,
      `<p class="facts">${badge(val)} <span>version ${version}</span> <span>by ${shown(author.username)}</span>`,
      `<span>created ${time(createdAt, now)}</span> <span>changed ${time(updatedAt, now)}</span> ${counts.join(' ')}</p>`,
      `<p class="facts id">${shown(id)}</p>`,
      ...note,
      '<div class="sides"><div>',
      ...(before ? [changes(before, val)] : []),
      codeCard(val),
      ...(val.readme
        ? [`<section class="card"><h2>Readme</h2><pre class="text">${shown(val.readme)}</pre></section>`]
        : []),
      '</div><div>',
      versionsCard(content),
      runsCard(content),
      '</div></div>',
    ],
    content.visitor,
  );
}

function codeCard({ code, version }: Val): string {
  const lines = highlight(code);
  const size = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}, ${code.length} characters`;
  const rows = lines.map((line) => `<span class="l">${line}\n</span>`).join('');
  return `<section class="card"><div class="bar"><h2>Code</h2><span>version ${version}, ${size}</span></div><pre class="code" tabindex="0"><code>${rows}</code></pre></section>`;
}

function changes(before: Val, val: Val): string {
  const diff = diffHtml(before.code, val.code);
  const command = `vals version diff ${shown(val.id)} ${before.version} ${val.version}`;
  const content =
    diff === undefined
      ? `<p class="empty">This diff is too large for this page. To see the diff: <code>${command}</code></p>`
      : diff === ''
        ? '<p class="empty">Nothing differs.</p>'
        : `<pre class="diff" tabindex="0"><code>${diff}</code></pre>`;
  const title = `Changes from version ${before.version} to ${val.version}`;
  return `<section class="card"><div class="bar"><h2>${title}</h2></div>${content}</section>`;
}

function versionsCard({ val, versions, before, now }: ShownVal): string {
  const rows = versions.slice(0, mostVersions).map(({ version, createdAt, versionAuthor }, index) => {
    const address = `${linkTo(val)}&amp;version=${version}`;
    const isHere = version === val.version;
    const by = versionAuthor ? ` by ${shown(versionAuthor.username)}` : '';
    const older = versions[index + 1]?.version;
    const compare =
      older === undefined
        ? ''
        : isHere && before?.version === older
          ? '<span class="end when">changes shown</span>'
          : `<a class="end" href="${address}&amp;from=${older}">changes</a>`;
    const mark = index === 0 ? ' <span class="badge">current</span>' : '';
    return `<li${isHere ? ' class="here"' : ''}><a href="${address}">${version}</a>${mark} <span class="when">${time(createdAt, now)}${by}</span> ${compare}</li>`;
  });
  const more =
    versions.length > mostVersions ? '<p class="empty">Older versions: <code>vals version ls</code></p>' : '';
  return `<section class="card"><h2>Versions</h2><ul>${rows.join('\n')}</ul>${more}</section>`;
}

function runsCard({ val, runs, runCount, now }: ShownVal): string {
  const rows = runs.map((run) => {
    const { error = null } = run;
    const message = error === null ? '' : typeof error === 'string' ? error : messageOf(error);
    const [first = ''] = message.split('\n');
    const mark = error === null ? '<span class="good">✓ ok</span>' : '<span class="bad">✗ failed</span>';
    const version = run.val?.version;
    const facts = [
      ...(typeof run.runStartAt === 'string' ? [time(run.runStartAt, now)] : []),
      ...(version === undefined || version === null ? [] : [`version ${shown(String(version))}`]),
      ...took(run),
      ...(typeof run.reporter?.username === 'string' ? [`reported by ${shown(run.reporter.username)}`] : []),
    ];
    const whole =
      message === ''
        ? ''
        : first === message && message.length <= 120
          ? `<p class="why">${shown(message)}</p>`
          : `<details><summary>${shown(first.slice(0, 120))}</summary><pre>${shown(cut(message))}</pre></details>`;
    return `<li>${mark} <span class="when">${facts.join(', ')}</span> ${whole}</li>`;
  });
  const content =
    rows.length > 0
      ? `<ul>${rows.join('\n')}</ul>${moreRuns(val, rows.length, runCount)}`
      : '<p class="empty">No runs yet. <code>vals run</code> makes one.</p>';
  return `<section class="card"><h2>Runs</h2>${content}</section>`;
}

function moreRuns({ id }: Val, shownCount: number, count: number): string {
  if (count <= shownCount) return '';
  const all = count > mostCounted ? `more than ${mostCounted}` : count;
  return `<p class="empty">${shownCount} of ${all} runs. To see all runs: <code>vals val runs ${shown(id)} --all</code></p>`;
}

const cut = (message: string): string =>
  message.length > longestMessage ? `${message.slice(0, longestMessage)} …` : message;

function messageOf(error: unknown): string {
  const { message, stack } = error as { message?: unknown; stack?: unknown };
  if (typeof stack === 'string' && stack !== '') return stack;
  return typeof message === 'string' ? message : JSON.stringify(error);
}

function took({ runStartAt, runEndAt }: ShownRun): string[] {
  const ms = Date.parse(`${runEndAt}`) - Date.parse(`${runStartAt}`);
  if (Number.isNaN(ms) || ms < 0) return [];
  return [ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`];
}

const linkTo = ({ id }: ListedVal): string => `?val=${encodeURIComponent(id)}`;

const badge = ({ privacy }: ListedVal): string =>
  `<span class="badge ${shown(privacy)}">${shown(privacy)}</span>`;

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** An age, or the date if it is long ago. The whole time is in the title. */
function time(text: string, now: number): string {
  const moment = Date.parse(text);
  const seconds = Math.max(0, Math.round((now - moment) / 1_000));
  const age =
    Number.isNaN(moment) || seconds > 30 * 86_400
      ? text.slice(0, 10)
      : seconds < 60
        ? 'just now'
        : seconds < 3_600
          ? `${Math.floor(seconds / 60)} min ago`
          : seconds < 86_400
            ? `${Math.floor(seconds / 3_600)} h ago`
            : `${Math.floor(seconds / 86_400)} d ago`;
  return `<time datetime="${shown(text)}" title="${shown(text)}">${shown(age)}</time>`;
}

export const refusalPage = (): string =>
  page('This page needs a link', [
    '<h1>This page needs a link</h1>',
    '<p>This page shows the code of private vals. Open it with <code>vals open</code>, or with the link that <code>vals serve</code> shows in its terminal.</p>',
    '<p>Each link works once. The terminal shows a new link now.</p>',
  ]);

/** A refusal or a failure, for a person. */
export const problemPage = (title: string, detail: string): string =>
  page(title, [`<h1>${shown(title)}</h1>`, `<p>${shown(detail)}</p>`]);

/** Where the service is a team's. */
export const signInPage = (action: string, problem?: string): string =>
  page('Sign in', [
    '<h1>Sign in</h1>',
    ...(problem === undefined ? [] : [`<p class="bad" role="alert">✗ ${shown(problem)}</p>`]),
    `<form method="post" action="${shown(action)}">`,
    '<p><label for="token">Your token</label></p>',
    '<p><input id="token" name="token" type="password" autocomplete="current-password" required autofocus>',
    '<button>Sign in</button></p>',
    '</form>',
    '<p>Ask the person who runs this service for a token (<code>vals user add</code>). On the command line: <code>vals login</code>.</p>',
  ]);

const signOut = '<form method="post" action="/sign-out"><button>Sign out</button></form>';

/** The person's own vals and those of each of their spaces, where they have any. */
function placesOf({ user, spaces }: Visitor): string {
  if (spaces.length === 0) return '';
  const link = (path: string, { id, username }: User) =>
    `<a href="${path}"${id === user.id ? ' aria-current="page"' : ''}>${shown(username)}</a>`;
  const links = spaces.map((space) => link(`/@${encodeURIComponent(space.username)}/`, space));
  return `<nav aria-label="Spaces">${[link('/', user.actor), ...links].join(' ')}</nav>`;
}

function page(title: string, parts: readonly string[], visitor?: Visitor): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${shown(title)}</title>
<style>${style}</style>
<header><a class="brand" href="?">vals</a>${visitor ? placesOf(visitor) : ''}${visitor?.canSignOut ? signOut : ''}</header>
<main>
${parts.join('\n')}
</main>
</html>
`;
}
