import type { Hints } from '../lib/hint.ts';
import type { Column } from './column.ts';
import { createOutput, type OutputFlags, type OutputStreams } from './output.ts';
import type { Presenter } from './presenter.ts';
import { render } from './render.ts';

/** What the layout of a result depends on. */
export interface ShownCommand {
  command: { path: string; columns: readonly Column[]; empty?: Hints };
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
  const { messages, format } = output;
  const givenKeys = new Set(Object.keys(input).filter((key) => input[key] !== undefined));

  return {
    forPerson: format.forPerson,
    say: messages.say,
    flush: messages.flush,
    async result(result) {
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
