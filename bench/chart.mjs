import { describeRun } from './report.mjs';

const [width, left, right, top, rowHeight] = [720, 220, 70, 44, 26];
/** Longer bars are cut, so that the bars of vals stay long enough to compare. */
const longest = 6;

/**
 * @param {import('./main.mjs').Results} results
 */
export function chartOf(results) {
  const node = results.lines[0]?.node ?? '';
  const starts = results.lines.flatMap(({ group, node: measuredWith, what, figure }) =>
    group === 'start' && measuredWith === node && figure !== undefined ? [{ name: what, ratio: figure }] : [],
  );
  const bars = [{ name: 'node -e 0', ratio: 1 }, ...starts];
  const height = top + bars.length * rowHeight + 34;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">How long commands take from start to end, as multiples of node -e 0</title>
<style>
  text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #24292f; }
  .card { fill: #ffffff; stroke: #d0d7de; }
  .small { font-size: 11px; fill: #57606a; }
  .ours { fill: #1a7f64; }
  .other { fill: #8c959f; }
</style>
<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<text font-weight="600" x="12" y="24">From start to end, as multiples of node -e 0 (shorter is better)</text>
${bars.map((bar, row) => drawBar(bar, top + row * rowHeight)).join('\n')}
<text class="small" x="12" y="${height - 12}">${escaped(`Node ${node}; ${describeRun(results)}`)}</text>
</svg>
`;
}

/** @param {{ name: string, ratio: number }} bar @param {number} y */
function drawBar({ name, ratio }, y) {
  const length = (Math.min(ratio, longest) / longest) * (width - left - right);
  return [
    `<text x="${left - 8}" y="${y + 17}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${name.startsWith('vals') ? 'ours' : 'other'}" x="${left}" y="${y + 5}" width="${length.toFixed(1)}" height="16" rx="2"/>`,
    `<text x="${(left + length + 6).toFixed(1)}" y="${y + 17}">${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}</text>`,
  ].join('\n');
}

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
