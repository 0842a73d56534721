// vals.json says which services the vals of a workspace belong to. Another one is used only if the user says so.

import type { Context } from '../core/command-line/context.ts';
import { DeclinedError, UsageError } from '../core/errors.ts';
import type { Hint } from '../core/lib/hint.ts';
import { listed } from '../core/lib/listed.ts';
import { isOfThisMachine } from '../core/settings/settings.ts';
import { updateManifest, withService } from './manifest.ts';
import { nameOfService, type Workspace } from './workspace.ts';

interface Wording {
  /** For example "Push them to". */
  question: string;
  /** For example "Nothing was pushed." */
  ifDeclined: string;
}

export const pushing: Wording = { question: 'Push them to', ifDeclined: 'Nothing was pushed.' };
export const pulling: Wording = { question: 'Pull them from', ifDeclined: 'Nothing was pulled.' };
export const renaming: Wording = { question: 'Use them on', ifDeclined: 'Nothing was changed.' };

/** The services that the vals belong to, if the one in use is not among them. One on this machine is always allowed. */
function othersThan({ service, manifest: { services } }: Workspace): readonly string[] | undefined {
  const isAllowed = isOfThisMachine(service) || services.length === 0 || services.includes(service);
  return isAllowed ? undefined : services;
}

const belong = (services: readonly string[]): string =>
  `These vals belong to ${listed(services.map(nameOfService))}`;

const useListed = (services: readonly string[]): Hint => ({
  text: 'To use the service of these vals',
  input: { baseUrl: services[0] ?? true },
});

/** For commands that only compare. */
export function noteOtherService({ say, flags }: Pick<Context, 'say' | 'flags'>, workspace: Workspace): void {
  const services = othersThan(workspace);
  if (services === undefined || flags.json || flags.ndjson) return;
  const text = `${belong(services)}, but the service in use is ${workspace.service}.`;
  say({ kind: 'note', text: [text, useListed(services)] });
}

/** Before a command writes files or vals. */
export async function confirmService(
  { prompt, say }: Pick<Context, 'prompt' | 'say'>,
  workspace: Workspace,
  { question, ifDeclined }: Wording,
  { dryRun }: { dryRun: boolean },
): Promise<void> {
  const { service, root } = workspace;
  const services = othersThan(workspace);
  if (services === undefined) return;
  if (!prompt.isAtTerminal()) {
    throw new UsageError(`${belong(services)}, but the service in use is ${service}.`, {
      hint: [useListed(services), { text: `To let these vals belong to ${service} too`, command: 'init' }],
    });
  }
  if (dryRun) {
    say({
      kind: 'note',
      text: `${belong(services)}, so without --dry-run the command asks before it uses ${service}.`,
    });
    return;
  }
  const isConfirmed = await prompt.confirm(`${belong(services)}. ${question} ${service}, too?`, {
    text: `To let these vals belong to ${service} too`,
    command: 'init',
  });
  if (!isConfirmed) throw new DeclinedError(ifDeclined, { hint: useListed(services) });
  updateManifest(root, withService(service));
}

/** The first push to a service that others can reach lists it. */
export function listService(workspace: Workspace): void {
  const { service, root, manifest } = workspace;
  if (manifest.services.length === 0 && !isOfThisMachine(service)) updateManifest(root, withService(service));
}
