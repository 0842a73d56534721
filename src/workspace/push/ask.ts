// The two questions of a push: the first one from a folder to a service, and deletions. They are asked at once.
import type { Context } from '../../core/command-line/command.ts';
import { DeclinedError, UsageError } from '../../core/errors.ts';
import { listed, someOf } from '../../core/lib/hint.ts';
import { visible } from '../../core/lib/visible.ts';
import { ago } from '../../core/output/times.ts';
import { nameOfService, pathTo, type Workspace } from '../workspace.ts';
import type { Step } from './steps.ts';

export interface AskOptions {
  workspace: Workspace;
  /** No push from this folder to this service has gone through yet. */
  isFirst: boolean;
  /** --yes */
  yes: boolean;
  dryRun: boolean;
}

const withYes = 'To go on without a question, add --yes.';

/** Throws if the answer is no. Then nothing is done. */
export async function askAbout(
  { ask: prompt, out: { say }, host: { agent, clock } }: Context,
  steps: readonly Step[],
  { workspace, isFirst, yes, dryRun }: AskOptions,
): Promise<void> {
  if (yes) return;
  const service = nameOfService(workspace.service);
  const deletions = steps.filter(({ kind }) => kind === 'delete');
  const changes = isFirst ? steps.filter(({ kind }) => kind === 'send') : [];
  const isAtTerminal = prompt.isAtTerminal();
  // An agent has the option to delete only if a person allowed it.
  if (deletions.length > 0 && !dryRun && agent === undefined && !isAtTerminal) {
    const whether = `whether to delete ${someOf(deletions.map(({ name }) => name))}`;
    throw new UsageError(`Nothing was sent. Cannot ask without a terminal ${whether}.`, { hint: withYes });
  }
  if (!isAtTerminal || deletions.length + changes.length === 0) return;
  const show = (heading: string, about: readonly Step[]) => {
    if (about.length === 0) return;
    const lines = about.map((step) => lineFor(step, workspace, clock.now()));
    say({ kind: 'lines', text: `${heading}:\n${lines.join('')}`, despite: 'quiet' });
  };
  show(`This is the first push from this folder to ${service}. It would change these vals`, changes);
  show(`The files of these vals are gone, but ${service} has the vals`, deletions);
  if (dryRun) {
    say({ kind: 'note', text: 'A push would ask before it changes these vals.' });
    return;
  }
  const actions = [
    changes.length === 0 ? [] : `change ${vals(changes.length)}`,
    deletions.length === 0
      ? []
      : `delete ${vals(deletions.length)} with all ${deletions.length === 1 ? 'its' : 'their'} versions`,
  ].flat();
  const question = `${listed(actions)} on ${service}?`;
  if (await prompt.confirm(question.charAt(0).toUpperCase() + question.slice(1), withYes)) return;
  throw new DeclinedError('Nothing was pushed.');
}

const vals = (count: number): string => `${count} val${count === 1 ? '' : 's'}`;

function lineFor({ file, name, remote }: Step, workspace: Workspace, now: number): string {
  const parts = [
    name,
    remote?.version === undefined ? [] : `version ${remote.version}`,
    remote?.madeAt === undefined ? [] : `changed ${ago(remote.madeAt, now)}`,
    remote?.madeBy === undefined ? [] : `by ${remote.madeBy}`,
    pathTo(workspace, file),
  ];
  return `  ${visible(parts.flat().join('  '))}\n`;
}
