import { describeRows } from '../errors.ts';
import type { Hints } from '../lib/hint.ts';
import { type Column, columnsFor } from './column.ts';
import { createOutput, type OutputFlags, type OutputStreams } from './output.ts';
import type { Presenter } from './presenter.ts';
import { render } from './render.ts';
import type { OutcomesResult } from './result.ts';

/** What the layout of a result depends on. */
export interface ShownCommand {
  command: { path: string; columns: readonly Column[]; jobSummary?: boolean; empty?: Hints };
  /** The input of the command. */
  input: Readonly<Record<string, unknown>>;
}

/** Shows results on stdout, and everything else on stderr: at a terminal for a person, in a pipe for a program. */
export function createTerminalPresenter(
  streams: OutputStreams,
  flags: OutputFlags,
  { command, input }: ShownCommand,
): Presenter {
  const output = createOutput(streams, flags);
  const { messages, redactor, format, writeHints } = output;
  const givenKeys = new Set(Object.keys(input).filter((key) => input[key] !== undefined));

  async function writeJobSummary(outcomes: OutcomesResult): Promise<void> {
    const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY } = streams.env;
    if (!command.jobSummary || GITHUB_ACTIONS !== 'true' || !GITHUB_STEP_SUMMARY) return;
    const { appendJobSummary } = await import('./job-summary.ts');
    const rows = await describeRows(outcomes.rows, writeHints);
    const columns = columnsFor(command.columns, 'pipe');
    await appendJobSummary(GITHUB_STEP_SUMMARY, command.path, rows, columns, redactor.redact).catch(
      (error: Error) =>
        messages.say({ kind: 'warning', text: `The job summary could not be written: ${error.message}` }),
    );
  }

  return {
    forPerson: format.forPerson,
    say: messages.say,
    flush: messages.flush,
    async result(result) {
      if (result.kind === 'outcomes') await writeJobSummary(result);
      await messages.flush();
      await render(result, {
        output,
        columns: command.columns,
        givenKeys,
        empty: command.empty ?? 'The list is empty.',
      });
    },
    end: messages.end,
  };
}
