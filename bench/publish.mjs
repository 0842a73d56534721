// Keeps figures, and brings the documents that show them up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { chartOf } from './chart.mjs';
import { markdownReportOf } from './report.mjs';

const inRepository = (/** @type {string} */ path) => resolve(import.meta.dirname, '..', path);

export const resultsFile = inRepository('bench/results.json');
export const chartFile = inRepository('docs/bench.svg');
const document = inRepository('docs/performance.md');
const figures = /(?<=<!-- figures -->\n).*(?=<!-- end of figures -->)/s;

/** @param {import('./main.mjs').Results} results */
export function publish(results) {
  writeFileSync(resultsFile, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(chartFile, chartOf(results));
  const text = readFileSync(document, 'utf8');
  writeFileSync(
    document,
    text.replace(figures, () => `\n${markdownReportOf(results)}\n\n`),
  );
}
