// vals.json says which services the vals of a workspace belong to. Another one is used only if the user says so.
import type { Context } from '../../cli/context.ts';
import { DeclinedError, UsageError } from '../../errors.ts';
import { isOfThisMachine } from '../../settings/settings.ts';
import { updateManifest, withService } from '../../workspace/manifest.ts';
import { nameOfService, type Workspace } from '../../workspace/workspace.ts';

interface Wording {
  /** For example "Push them to". */
  question: string;
  /** For example "Nothing was pushed." */
  ifDeclined: string;
}

export const pushing: Wording = { question: 'Push them to', ifDeclined: 'Nothing was pushed.' };
export const pulling: Wording = { question: 'Pull them from', ifDeclined: 'Nothing was pulled.' };
export const renaming: Wording = { question: 'Use them on', ifDeclined: 'Nothing was changed.' };

/** Before a command writes files or vals. A service on this machine is always allowed. */
export async function confirmService(
  { prompt, say }: Pick<Context, 'prompt' | 'say'>,
  workspace: Workspace,
  { question, ifDeclined }: Wording,
  { dryRun }: { dryRun: boolean },
): Promise<void> {
  const { service, root } = workspace;
  const { services } = workspace.manifest;
  if (isOfThisMachine(service) || services.length === 0 || services.includes(service)) return;
  const listed = services.map(nameOfService).join(' and ');
  const belong = `These vals belong to ${listed}`;
  if (!prompt.isAtTerminal()) {
    throw new UsageError(`${belong}, but the service in use is ${service}.`, {
      hint: [
        { text: 'To use the service of these vals', input: { baseUrl: services[0] ?? true } },
        { text: `To let these vals belong to ${service} too`, command: 'init' },
      ],
    });
  }
  if (dryRun) {
    say({
      kind: 'note',
      text: `${belong}, so without --dry-run the command asks before it uses ${service}.`,
    });
    return;
  }
  const isConfirmed = await prompt.confirm(`${belong}. ${question} ${service}, too?`, {
    text: `To let these vals belong to ${service} too`,
    command: 'init',
  });
  if (!isConfirmed) throw new DeclinedError(ifDeclined);
  updateManifest(root, withService(service));
}

/** The first push to a service that others can reach lists it. */
export function listService(workspace: Workspace): void {
  const { service, root, manifest } = workspace;
  if (manifest.services.length === 0 && !isOfThisMachine(service)) updateManifest(root, withService(service));
}
