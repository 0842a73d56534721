// Draws the chart of kept figures: `node bench/draw.mjs [results.json [chart.svg]]`.
import { readFileSync, writeFileSync } from 'node:fs';
import { chartFile, chartOf, resultsFile } from './chart.mjs';

const [from = resultsFile, to = chartFile] = process.argv.slice(2);
writeFileSync(to, chartOf(JSON.parse(readFileSync(from, 'utf8'))));
