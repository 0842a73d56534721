import { defineCommand } from '../../command-line/command.ts';
import { showRuns } from '../runs/run-views.ts';
import { command as runs } from '../runs/runs.ts';
import { valArgument } from '../shared/options.ts';

const { details: _explained, ...sameAsRuns } = runs;

/** `vals runs <val>` by another name. Its word is always a val, so nobody is asked whether it is a run. */
export const command = defineCommand({
  ...sameAsRuns,
  summary: 'List the runs of a val',
  description: 'List the runs of a val, as `vals runs <val>` does.',
  arguments: { run: valArgument },
  examples: ['vals val runs hello --error --since 2h'],
  run: (context, { run: val, ...view }) => showRuns(context, val, view),
});
