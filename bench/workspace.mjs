import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeVals } from './bench.mjs';
import { interleaved, peakMegabytesOf, timeOf } from './run.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./report.mjs').Measurement} Measurement */
/** @typedef {{ folder: string, data: string }} Place */

const count = (/** @type {number} */ number) => number.toLocaleString('en');

/**
 * @param {import('./bench.mjs').Sizes} sizes
 * @returns {Measurement[]}
 */
export const workspaces = ({ fewVals, manyVals, mostVals }) => [commands(fewVals, manyVals), large(mostVals)];

/**
 * @param {number} few
 * @param {number} many
 * @returns {Measurement}
 */
function commands(few, many) {
  const growth = `first push of a workspace, per val, ${count(many)} new vals over ${count(few)}`;
  const first = `first push of a workspace of ${count(many)} new vals, to a plain push`;
  const again = {
    status: `vals status of ${count(many)} vals, to a plain push`,
    push: `vals push of ${count(many)} unchanged vals, to a plain push`,
    pull: `vals pull of ${count(many)} unchanged vals, to a plain push`,
  };
  return {
    group: 'workspace',
    plans: [
      { what: growth, unit: '×', goal: { atMost: 1.25 } },
      { what: first, unit: '×', goal: { atMost: 1.5 } },
      ...Object.values(again).map((what) => ({
        what,
        unit: /** @type {const} */ ('×'),
        goal: { atMost: 0.7 },
      })),
    ],
    async measure(bench) {
      const pushed = makePlace(bench, many);
      // The folders are removed at the end, because ext4 without a journal creates files slowly after a large
      // removal.
      const used = [pushed];
      await timeOf(inPlace(bench, pushed, ['init']));
      await timeOf(inPlace(bench, pushed, ['push']));
      /** @param {readonly string[]} args */
      const onceMore = (args) => () => timeOf(inPlace(bench, pushed, args));
      /** @param {number} vals @param {boolean} isWorkspace */
      const push = (vals, isWorkspace) => async () => {
        const place = makePlace(bench, vals);
        used.push(place);
        if (isWorkspace) await timeOf(inPlace(bench, place, ['init']));
        return timeOf(inPlace(bench, place, isWorkspace ? ['push'] : ['push', '.']));
      };
      const timings = await interleaved(
        {
          plain: push(many, false),
          many: push(many, true),
          few: push(few, true),
          status: onceMore(['status']),
          push: onceMore(['push']),
          pull: onceMore(['pull']),
        },
        bench.rounds.slow,
      );
      used.forEach(remove);
      const { plain } = timings;
      /** @param {string} what @param {import('./run.mjs').Timing} timing */
      const toPlain = (what, timing) => ({
        [what]: {
          figure: timing.medianMs / plain.medianMs,
          timings: { [what]: timing, 'a plain push': plain },
        },
      });
      return {
        [growth]: {
          figure: timings.many.medianMs / many / (timings.few.medianMs / few),
          timings: { [count(many)]: timings.many, [count(few)]: timings.few },
        },
        ...toPlain(first, timings.many),
        ...toPlain(again.status, timings.status),
        ...toPlain(again.push, timings.push),
        ...toPlain(again.pull, timings.pull),
      };
    },
  };
}

/**
 * @param {number} vals
 * @returns {Measurement}
 */
function large(vals) {
  const memory = `peak memory of the first push of a workspace of ${count(vals)} vals`;
  return {
    group: 'workspace',
    plans: [{ what: memory, unit: 'MB', goal: { atMost: 300 } }],
    async measure(bench) {
      const place = makePlace(bench, vals);
      await timeOf(inPlace(bench, place, ['init']));
      const figure = await peakMegabytesOf(inPlace(bench, place, ['push']));
      remove(place);
      return { [memory]: { figure } };
    },
  };
}

/** @param {Bench} bench @param {number} vals @returns {Place} */
function makePlace({ scratch }, vals) {
  const top = mkdtempSync(join(scratch.folder, 'workspace-'));
  const folder = join(top, 'files');
  mkdirSync(folder);
  writeVals(folder, vals);
  return { folder, data: join(top, 'data') };
}

/** @param {Place} place */
const remove = ({ folder }) => rmSync(join(folder, '..'), { recursive: true });

/**
 * @param {Bench} bench
 * @param {Place} place
 * @param {readonly string[]} args
 * @returns {import('./run.mjs').Command}
 */
const inPlace = (bench, { folder, data }, args) => ({
  ...bench.vals(args, { VALS_LOCAL: '1', VALS_DATA_DIR: data }),
  cwd: folder,
});
