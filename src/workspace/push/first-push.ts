// Whether a push from this folder to this service has gone through. Until then, a push shows what it would change, and asks.
import { LocalError } from '../../core/errors.ts';
import type { Workspace } from '../workspace.ts';

const fileOf = (service: string): string => `pushed/${encodeURIComponent(service).replaceAll('*', '%2A')}`;

export const isFirstPush = ({ own, service }: Workspace): boolean => own.read(fileOf(service)) === undefined;

export function notePush(workspace: Workspace): void {
  if (!isFirstPush(workspace)) return;
  try {
    workspace.own.write(fileOf(workspace.service), '');
  } catch (error) {
    // Then the next push asks again.
    if (!(error instanceof LocalError)) throw error;
  }
}
