// The chart of starts: a bar for each command, as long as it takes against a Node that does nothing. It brings its own
// background, because a page may be dark where the reader's system is light.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeRun, markdownReportOf } from './report.mjs';

/** @typedef {{ name: string, ratio: number, kind: 'base' | 'ours' | 'peer' }} Bar */

const width = 720;
const left = 220;
const right = 70;
const rowHeight = 26;
const barHeight = 16;
const top = 44;
/** A bar that is longer than this many times Node's own start, and than all of ours, is drawn cut off. */
const longestPeer = 6;

/**
 * @param {import('./main.mjs').Results} results
 * @returns {string} an SVG that depends on the figures alone
 */
export function chartOf(results) {
  const bars = barsOf(results.lines);
  const longest = Math.max(
    longestPeer,
    ...bars.filter(({ kind }) => kind !== 'peer').map(({ ratio }) => ratio),
  );
  const scale = (width - left - right) / longest;
  const height = top + bars.length * rowHeight + 34;
  const baseline = (left + scale).toFixed(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">How long commands take from start to end, as multiples of node -e 0</title>
<style>
  .card { fill: #ffffff; stroke: #d0d7de; }
  text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #24292f; }
  .heading { font-weight: 600; }
  .small { font-size: 11px; fill: #57606a; }
  .base { fill: #8c959f; }
  .ours { fill: #1a7f64; }
  .peer { fill: #9a6bd3; }
  .line { stroke: #8c959f; stroke-dasharray: 2 3; }
  .cut { fill: none; stroke: #ffffff; stroke-width: 3; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #30363d; }
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .ours { fill: #3fb68f; }
    .peer { fill: #b392f0; }
    .cut { stroke: #0d1117; }
  }
</style>
<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<text class="heading" x="12" y="24">From start to end, as multiples of node -e 0 (shorter is better)</text>
<line class="line" x1="${baseline}" x2="${baseline}" y1="${top - 4}" y2="${top + bars.length * rowHeight}"/>
${bars.map((bar, row) => drawBar(bar, top + row * rowHeight, scale, longest)).join('\n')}
<text class="small" x="12" y="${height - 12}">${escaped(`Node ${results.lines[0]?.node ?? ''}; ${describeRun(results)}`)}</text>
</svg>
`;
}

/**
 * Ours in their own order, then the others from the fastest to the slowest; of several Nodes, the first.
 * @param {readonly import('./report.mjs').Line[]} lines
 * @returns {Bar[]}
 */
function barsOf(lines) {
  const measured = lines.flatMap(({ group, node, what, figure }) =>
    group === 'start' && node === lines[0]?.node && figure !== undefined
      ? [{ name: what, ratio: figure }]
      : [],
  );
  const isOurs = (/** @type {{ name: string }} */ { name }) => /^vals\b/.test(name);
  const ours = measured.filter(isOurs).map((bar) => ({ ...bar, kind: /** @type {const} */ ('ours') }));
  const peers = measured
    .filter((bar) => !isOurs(bar))
    .map((bar) => ({ ...bar, kind: /** @type {const} */ ('peer') }));
  return [
    { name: 'node -e 0', ratio: 1, kind: 'base' },
    ...ours,
    ...peers.toSorted((a, b) => a.ratio - b.ratio),
  ];
}

/**
 * @param {Bar} bar
 * @param {number} y
 * @param {number} scale
 * @param {number} longest
 */
function drawBar({ name, ratio, kind }, y, scale, longest) {
  const length = Math.min(ratio, longest) * scale;
  const end = left + length;
  const middle = y + rowHeight / 2 + 4;
  const cut =
    ratio > longest
      ? `<path class="cut" d="M${(end - 24).toFixed(1)} ${y + rowHeight - 3}l8 ${6 - rowHeight}"/>`
      : '';
  return [
    `<text x="${left - 8}" y="${middle}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${kind}" x="${left}" y="${y + (rowHeight - barHeight) / 2}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>${cut}`,
    `<text x="${(end + 6).toFixed(1)}" y="${middle}">${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}</text>`,
  ].join('\n');
}

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const inRepository = (/** @type {string} */ path) => resolve(import.meta.dirname, '..', path);

export const resultsFile = inRepository('bench/results.json');
export const chartFile = inRepository('docs/bench.svg');
const document = inRepository('docs/performance.md');
const figures = /(?<=<!-- figures -->\n).*(?=<!-- end of figures -->)/s;

/** Keeps figures, and brings the documents that show them up to date. @param {import('./main.mjs').Results} results */
export function publish(results) {
  writeFileSync(resultsFile, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(chartFile, chartOf(results));
  const text = readFileSync(document, 'utf8');
  writeFileSync(
    document,
    text.replace(figures, () => `\n${markdownReportOf(results)}\n\n`),
  );
}
