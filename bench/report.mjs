/** @typedef {{ atMost: number } | { atLeast: number }} Goal */
/** @typedef {'×' | 'records/s' | 'MB' | 'kB' | 's'} Unit */

/**
 * @typedef {object} LinePlan
 * @property {string} what
 * @property {Unit} unit
 * @property {Goal} [goal]
 * @property {boolean} [once] measured with the first Node only
 */

/**
 * @typedef {object} Finding
 * @property {number} figure
 * @property {Record<string, import('./run.mjs').Timing>} [timings]
 * @property {string} [note]
 */

/** @typedef {{ skipped: string }} Skipped */
/** @typedef {{ failed: string }} Failed */
/** @typedef {Record<string, Finding | Skipped>} Findings */

/**
 * @typedef {object} Line
 * @property {string} group
 * @property {string} node
 * @property {string} what
 * @property {Unit} unit
 * @property {Goal} [goal]
 * @property {boolean} [met]
 * @property {number} [figure]
 * @property {Finding['timings']} [timings]
 * @property {string} [note]
 * @property {string} [skipped]
 * @property {string} [failed]
 */

/**
 * @typedef {object} Measurement
 * @property {string} group
 * @property {readonly LinePlan[]} plans
 * @property {(bench: import('./bench.mjs').Bench, wanted: ReadonlySet<string>) => Promise<Findings>} measure
 */

/**
 * @param {string} group
 * @param {string} node
 * @param {LinePlan} plan
 * @param {Finding | Skipped | Failed} outcome
 * @returns {Line}
 */
export function lineOf(group, node, plan, outcome) {
  const { what, unit, goal } = plan;
  const met = goal && 'figure' in outcome ? { met: isMet(outcome.figure, goal) } : {};
  return { group, node, what, unit, ...(goal && { goal }), ...met, ...rounded(outcome) };
}

/**
 * @param {Finding | Skipped | Failed} outcome
 */
function rounded(outcome) {
  return 'figure' in outcome ? { ...outcome, figure: Number(outcome.figure.toPrecision(6)) } : outcome;
}

/** @param {number} figure @param {Goal} goal */
function isMet(figure, goal) {
  return 'atMost' in goal ? figure <= goal.atMost : figure >= goal.atLeast;
}

/** @typedef {import('./main.mjs').Results} Results */

const heading = ['what', 'Node', 'measured', 'goal', 'met', 'medians'];

/** @param {Results} results */
export const reportOf = (results) => `${describeRun(results)}\n\n${aligned(missedFirst(results.lines))}`;

/** @param {Results} results */
export const markdownReportOf = (results) =>
  `${describeRun(results)}.\n\n${markdown(missedFirst(results.lines))}`;

/** @param {Results} results */
export function describeRun({ date, machine, quick, runs }) {
  const { cpu, cores, memoryGiB, os } = machine;
  const measured = `${date.slice(0, 10)}, ${runs} runs of each start${quick ? ', quick: no figures to rely on' : ''}`;
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${os}; ${measured}`;
}

/** @param {readonly Line[]} lines */
const missedFirst = (lines) => lines.toSorted((a, b) => Number(b.met === false) - Number(a.met === false));

/** @param {readonly Line[]} lines */
function aligned(lines) {
  const rows = [heading, ...lines.map(cellsOf)];
  const widths = heading.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** @param {readonly Line[]} lines */
function markdown(lines) {
  const row = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [row(heading), row(heading.map(() => '---')), ...lines.map((line) => row(cellsOf(line)))].join('\n');
}

/** @param {Line} line */
function cellsOf({ what, node, figure, unit, goal, met, timings = {}, note, skipped, failed }) {
  if (figure === undefined) {
    return [what, node, '', goalText(goal, unit), '', failed ? `FAILED: ${failed}` : (skipped ?? '')];
  }
  const medians = Object.entries(timings)
    .map(([name, { medianMs }]) => `${name === what ? '' : `${name} `}${milliseconds(medianMs)}`)
    .join(', ');
  const verdict = met ? 'yes' : 'NO';
  const details = [medians, note].filter(Boolean).join('; ');
  return [what, node, quantity(figure, unit), goalText(goal, unit), goal ? verdict : '', details];
}

/** @param {number} ms */
const milliseconds = (ms) => `${ms < 1_000 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en')} ms`;

/** @param {import('./report.mjs').Goal | undefined} goal @param {import('./report.mjs').Unit} unit */
function goalText(goal, unit) {
  if (goal === undefined) return '';
  return 'atMost' in goal ? `<= ${quantity(goal.atMost, unit)}` : `>= ${quantity(goal.atLeast, unit)}`;
}

/** @param {number} figure @param {import('./report.mjs').Unit} unit */
function quantity(figure, unit) {
  const digits = { '×': 2, s: 1, MB: 1, 'records/s': 0, kB: 0 }[unit];
  const number = figure.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${number} ${unit}`.trimEnd();
}
