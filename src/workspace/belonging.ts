// vals.json says which services the vals of a workspace belong to. No other one is used.

import { UsageError } from '../core/errors.ts';
import { type Hint, listed, sh } from '../core/lib/hint.ts';
import type { Say } from '../core/output/out.ts';
import { updateManifest, withService } from './manifest.ts';
import { isOfThisMachine } from './service-name.ts';
import { nameOfService, type Workspace } from './workspace.ts';

/** Undefined if the service in use may be used. One on this machine is always allowed. */
function sentenceAboutOthers({ service, manifest: { services } }: Workspace): string | undefined {
  const isAllowed = isOfThisMachine(service) || services.length === 0 || services.includes(service);
  if (isAllowed) return undefined;
  return `These vals belong to ${listed(services.map(nameOfService))}, but the service in use is ${service}.`;
}

const useListed = ({ manifest: { services } }: Workspace): Hint =>
  `To use the service of these vals, add --base-url ${services[0] ?? '<url>'}.`;

/** For commands that only compare. */
export function noteOtherService(say: Say, workspace: Workspace): void {
  const text = sentenceAboutOthers(workspace);
  if (text !== undefined) say({ kind: 'note', text: [text, useListed(workspace)] });
}

/** For commands that write files or vals. */
export function refuseOtherService(workspace: Workspace): void {
  const text = sentenceAboutOthers(workspace);
  if (text === undefined) return;
  throw new UsageError(text, {
    hint: [useListed(workspace), sh`To let these vals belong to ${workspace.service} too, run ${['init']}.`],
  });
}

/** The first push to a service that others can reach lists it. */
export function listService({ service, root, manifest }: Workspace): void {
  if (manifest.services.length === 0 && !isOfThisMachine(service)) updateManifest(root, withService(service));
}
