// vals.json says which services the vals of a workspace belong to. No command writes files or vals of another one.
import { UsageError } from '../core/errors.ts';
import { listed, sh } from '../core/lib/hint.ts';
import { isOfThisMachine, updateManifest, withService } from './manifest.ts';
import { nameOfService, type Workspace } from './workspace.ts';

/** A service on this machine is always allowed. */
export function refuseOtherService({ service, manifest: { services } }: Workspace): void {
  const [first] = services;
  if (first === undefined || isOfThisMachine(service) || services.includes(service)) return;
  throw new UsageError(
    `These vals belong to ${listed(services.map(nameOfService))}, but the service in use is ${service}.`,
    {
      hint: [
        `To use the service of these vals, add --base-url ${first}.`,
        sh`To let these vals belong to ${service} too, run ${['init']}.`,
      ],
    },
  );
}

/** The first push to a service that others can reach lists it. */
export function listService({ service, root, manifest }: Workspace): void {
  if (manifest.services.length === 0 && !isOfThisMachine(service)) updateManifest(root, withService(service));
}
