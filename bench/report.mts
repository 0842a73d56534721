import type { Result, Unit } from './types.mts';

export interface Report {
  date: string;
  machine: string;
  quick: boolean;
  runs: number;
  nodes: { node: string; results: Result[]; failed: string[] }[];
}

export const textOf = (report: Report): string =>
  [heading(report), tableOf(report), ...failures(report)].join('\n\n');

function heading({ date, machine, quick, runs }: Report): string {
  const warning = quick ? ' Quick: a fiftieth of the work, so no figure can be relied on.' : '';
  return `${machine}; ${date.slice(0, 10)}; medians of ${runs} starts and of 3 longer runs.${warning}`;
}

/** A Markdown table that can be read at a terminal too, with a column for each Node. */
function tableOf({ nodes }: Report): string {
  const head = ['what', 'compared with', 'at most', ...nodes.map(({ node }) => `Node ${node}`)];
  const keyOf = ({ what, to }: Result) => JSON.stringify([what, to]);
  const lines = new Map(nodes.flatMap(({ results }) => results.map((result) => [keyOf(result), result])));
  const rows = [...lines].map(([key, { what, to, atMost, unit }]) => [
    what,
    to,
    to === '' ? quantity(atMost, unit) : String(atMost),
    ...nodes.map(({ results }) => cellOf(results.find((result) => keyOf(result) === key))),
  ]);
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [head, widths.map((width) => '-'.repeat(width)), ...rows]
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
}

function cellOf(result: Result | undefined): string {
  if (result === undefined) return '';
  const { figure, isMet, medians, unit } = result;
  const missed = isMet ? '' : ' MISSED';
  if (medians.length === 1) return `${quantity(figure, unit)}${missed}`;
  return `${figure.toFixed(2)}${missed} (${medians.map((value) => quantity(value, unit)).join(', ')})`;
}

const quantity = (value: number, unit: Unit): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${unit}`;

const failures = ({ nodes }: Report): string[] =>
  nodes.flatMap(({ node, failed }) =>
    failed.length === 0 ? [] : [`Could not be measured with Node ${node}: ${failed.join(', ')}.`],
  );
