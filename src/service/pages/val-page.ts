import type { Val } from '../store/val-rows.ts';
import type { ListedVersion } from '../store/versions.ts';
import { diffHtml, escapeHtml, highlight } from './code-html.ts';
import { badge, linkTo, page, time, type Visitor } from './html-page.ts';
import { copyScript } from './page-style.ts';

interface ShownRun {
  id?: unknown;
  val?: { version?: unknown } | null;
  runStartAt?: unknown;
  runEndAt?: unknown;
  error?: unknown;
  reporter?: { username?: unknown } | null;
}

interface ShownVal {
  val: Val;
  versions: readonly ListedVersion[];
  runs: readonly ShownRun[];
  runCount: number;
  /** The run whose output the visitor wants to see. */
  shownRun?: { id: string; logs: string | null };
  comparedWith?: Val;
  now: number;
  visitor: Visitor;
}

const mostVersions = 50;
const longestMessage = 4_000;
const longestSummary = 120;
export const valPageLimits = { versions: mostVersions + 1, runs: 20 };
export const mostCountedRuns = 10_000;

export function valPage(content: ShownVal): string {
  const { val, versions, shownRun, comparedWith, now, visitor } = content;
  const { name, version, id, author, readme, createdAt, updatedAt, likeCount, referenceCount } = val;
  const current = versions[0]?.version ?? version;
  const counts = [
    ...(likeCount > 0 ? [`<span>liked ${times(likeCount)}</span>`] : []),
    ...(referenceCount > 0 ? [`<span>used by ${referenceCount}</span>`] : []),
  ];
  const note = `<p class="note">This is version ${version}. <a href="${linkTo(val)}">See version ${current}, the current version</a></p>`;
  const parts = [
    `<h1>${escapeHtml(name)}</h1>`,
    `<p class="meta">${badge(val)} <span>version ${version}</span> <span>by ${escapeHtml(author.username)}</span>`,
    `<span>created ${time(createdAt, now)}</span> <span>changed ${time(updatedAt, now)}</span> ${counts.join(' ')}</p>`,
    `<p class="meta id">${escapeHtml(id)}</p>`,
    ...(version === current ? [] : [note]),
    '<div class="sides"><div>',
    ...(shownRun ? [outputCard(shownRun)] : []),
    ...(comparedWith ? [changesCard(comparedWith, val)] : []),
    codeCard(val),
    ...(readme ? [readmeCard(readme)] : []),
    '</div><div>',
    versionsCard(content),
    runsCard(content),
    '</div></div>',
  ];
  return page(`${name}, version ${version}`, parts, visitor);
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function codeCard({ code, version }: Val): string {
  const lines = highlight(code);
  const size = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}, ${code.length} characters`;
  const rows = lines.map((line) => `<span class="l">${line}\n</span>`).join('');
  const copy = '<button data-copies="code" hidden>Copy</button>';
  return `<section class="card"><div class="bar"><h2>Code</h2><span>version ${version}, ${size}</span>${copy}</div><pre class="code" tabindex="0"><code id="code">${rows}</code></pre></section><script>${copyScript}</script>`;
}

function outputCard({ id, logs }: { id: string; logs: string | null }): string {
  const output = logs
    ? `<pre class="text output" tabindex="0">${escapeHtml(logs)}</pre>`
    : '<p class="empty">The service kept no output of this run.</p>';
  return `<section class="card"><div class="bar"><h2>Output of a run</h2><span class="id">${escapeHtml(id)}</span></div>${output}</section>`;
}

const readmeCard = (readme: string): string =>
  `<section class="card"><h2>Readme</h2><pre class="text">${escapeHtml(readme)}</pre></section>`;

function changesCard(before: Val, val: Val): string {
  const title = `Changes from version ${before.version} to ${val.version}`;
  return `<section class="card"><div class="bar"><h2>${title}</h2></div>${changesIn(before, val)}</section>`;
}

function changesIn(before: Val, val: Val): string {
  const diff = diffHtml(before.code, val.code);
  if (diff === '') return '<p class="empty">Both versions have the same code.</p>';
  if (diff !== undefined) return `<pre class="diff" tabindex="0"><code>${diff}</code></pre>`;
  const command = `vals version diff ${escapeHtml(val.id)} ${before.version} ${val.version}`;
  return `<p class="empty">This diff is too large for this page. To see the diff: <code>${command}</code></p>`;
}

function versionsCard({ val, versions, comparedWith, now }: ShownVal): string {
  const rows = versions.slice(0, mostVersions).map(({ version, createdAt, versionAuthor }, index) => {
    const address = `${linkTo(val)}&amp;version=${version}`;
    const isHere = version === val.version;
    const by = versionAuthor ? ` by ${escapeHtml(versionAuthor.username)}` : '';
    const mark = index === 0 ? ' <span class="badge">current</span>' : '';
    const older = versions[index + 1]?.version;
    const isCompared = isHere && comparedWith?.version === older;
    const changes = older === undefined ? '' : changesLink(`${address}&amp;from=${older}`, isCompared);
    return `<li${isHere ? ' class="here"' : ''}><a href="${address}">${version}</a>${mark} <span class="when">${time(createdAt, now)}${by}</span> ${changes}</li>`;
  });
  const more =
    versions.length > mostVersions
      ? `<p class="empty">To see older versions: <code>vals version ls ${escapeHtml(val.id)}</code></p>`
      : '';
  return `<section class="card"><h2>Versions</h2><ul>${rows.join('\n')}</ul>${compareForm(val, versions)}${more}</section>`;
}

function compareForm(val: Val, versions: readonly ListedVersion[]): string {
  const [newest, older] = versions;
  if (!newest || !older) return '';
  const choice = (name: string, label: string, chosen: number) => {
    const options = versions
      .slice(0, mostVersions)
      .map(({ version }) => `<option${version === chosen ? ' selected' : ''}>${version}</option>`);
    return `<select name="${name}" aria-label="${label}">${options.join('')}</select>`;
  };
  const from = choice('from', 'Old version', older.version);
  const to = choice('version', 'New version', newest.version);
  return `<form class="compare"><input type="hidden" name="val" value="${escapeHtml(val.id)}">${from} to ${to} <button>Compare</button></form>`;
}

const changesLink = (address: string, isShown: boolean): string =>
  isShown ? '<span class="end when">changes shown</span>' : `<a class="end" href="${address}">changes</a>`;

function runsCard({ val, runs, runCount, now }: ShownVal): string {
  const rows = runs.map((run) => runRow(val, run, now)).join('\n');
  const content =
    runs.length > 0
      ? `<ul>${rows}</ul>${moreRuns(val, runs.length, runCount)}`
      : '<p class="empty">No runs yet. To run the val: <code>vals run</code></p>';
  return `<section class="card"><h2>Runs</h2>${content}</section>`;
}

function runRow(shown: Val, run: ShownRun, now: number): string {
  const { id, runStartAt, val, reporter, error = null } = run;
  const version = val?.version ?? undefined;
  const mark = error === null ? '<span class="good">✓ ok</span>' : '<span class="bad">✗ failed</span>';
  const details = [
    ...(typeof runStartAt === 'string' ? [time(runStartAt, now)] : []),
    ...(version === undefined ? [] : [`version ${escapeHtml(String(version))}`]),
    ...durationOf(run),
    ...(typeof reporter?.username === 'string' ? [`reported by ${escapeHtml(reporter.username)}`] : []),
  ];
  const message = error === null ? '' : errorHtml(messageOf(error));
  const output = `<a class="end" href="${linkTo(shown)}&amp;run=${encodeURIComponent(String(id))}">output</a>`;
  return `<li>${mark} <span class="when">${details.join(', ')}</span> ${output} ${message}</li>`;
}

function errorHtml(message: string): string {
  if (message === '') return '';
  const [first = ''] = message.split('\n');
  if (first === message && message.length <= longestSummary)
    return `<p class="why">${escapeHtml(message)}</p>`;
  const cut = message.length > longestMessage ? `${message.slice(0, longestMessage)} …` : message;
  return `<details><summary>${escapeHtml(first.slice(0, longestSummary))}</summary><pre>${escapeHtml(cut)}</pre></details>`;
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message, stack } = error as { message?: unknown; stack?: unknown };
  if (typeof stack === 'string' && stack !== '') return stack;
  return typeof message === 'string' ? message : JSON.stringify(error);
}

function durationOf({ runStartAt, runEndAt }: ShownRun): string[] {
  const ms = Date.parse(`${runEndAt}`) - Date.parse(`${runStartAt}`);
  if (Number.isNaN(ms) || ms < 0) return [];
  return [ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`];
}

function moreRuns({ id }: Val, shownCount: number, count: number): string {
  if (count <= shownCount) return '';
  const all = count > mostCountedRuns ? `more than ${mostCountedRuns}` : count;
  return `<p class="empty">${shownCount} of ${all} runs. To see all runs: <code>vals val runs ${escapeHtml(id)} --all</code></p>`;
}
