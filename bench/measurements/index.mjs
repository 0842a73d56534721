// Everything that is measured, in the order of the report.
import { lists } from './list.mjs';
import { packaging } from './package.mjs';
import { pushes } from './push.mjs';
import { startUp } from './start-up.mjs';
import { workspaces } from './workspace.mjs';

/**
 * @param {import('../bench.mjs').Sizes} sizes
 * @returns {import('../lines.mjs').Measurement[]}
 */
export const measurements = (sizes) => [
  startUp,
  ...pushes(sizes),
  ...workspaces(sizes),
  ...lists(sizes),
  packaging,
];
