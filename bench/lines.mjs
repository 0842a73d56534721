// A line of the report: what was measured, how it came out, and how it should have.

/** @typedef {{ atMost: number } | { atLeast: number }} Goal */
/** @typedef {'×' | 'records/s' | 'MB' | 'kB' | 's' | ''} Unit */

/**
 * @typedef {object} LinePlan
 * @property {string} what
 * @property {Unit} unit
 * @property {Goal} [goal] absent where the figure only stands beside ours
 * @property {boolean} [once] the same whichever Node runs vals
 */

/**
 * @typedef {object} Finding
 * @property {number} figure
 * @property {Record<string, import('./interleaved.mjs').Timing>} [timings] what the figure was made of
 * @property {string} [note]
 */

/** @typedef {{ skipped: string }} Skipped a reason, where this machine cannot measure a line */
/** @typedef {{ failed: string }} Failed */
/** @typedef {Record<string, Finding | Skipped>} Findings by what was measured */

/**
 * @typedef {object} Line
 * @property {string} group
 * @property {string} node the version it was measured with
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
 * Lines that are measured together.
 * @typedef {object} Measurement
 * @property {string} group
 * @property {readonly LinePlan[]} plans
 * @property {(bench: import('./bench.mjs').Bench, wanted: ReadonlySet<string>) => Promise<Findings>} measure
 *   finds out at least what is wanted
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
 * More digits than a measurement is worth would only make noise in what is kept.
 * @param {Finding | Skipped | Failed} outcome
 */
function rounded(outcome) {
  return 'figure' in outcome ? { ...outcome, figure: Number(outcome.figure.toPrecision(6)) } : outcome;
}

/** @param {number} figure @param {Goal} goal */
function isMet(figure, goal) {
  return 'atMost' in goal ? figure <= goal.atMost : figure >= goal.atLeast;
}
