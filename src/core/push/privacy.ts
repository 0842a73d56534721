// Who can see a val. For an agent, only a person can allow that it makes one public.
import type { Context } from '../command-line/command.ts';
import { UsageError } from '../errors.ts';

/** What is known of all services. Others may have other words. */
const privacyWords: readonly string[] = ['private', 'unlisted', 'public'];

/** Returns 0 for private, 1 for unlisted and 2 for public. */
export function publicity(privacy = '', ifUnknown: number): number {
  const index = privacyWords.indexOf(privacy.toLowerCase());
  return index === -1 ? ifUnknown : index;
}

type Caller = Pick<Context, 'host'>;

export const mayPublish = ({ host: { agent } }: Caller): boolean => agent === undefined || agent.mayPublish;

/** What a new val is made with. Undefined leaves it to the service. */
export const privacyOfNew = (context: Caller, wanted: string | undefined): string | undefined =>
  mayPublish(context) ? wanted : 'private';

/** `present` is the privacy that the val has now. */
export function refusePublishing(context: Caller, wanted: string | undefined, present = 'private'): void {
  if (wanted === undefined || mayPublish(context) || publicity(wanted, 2) <= publicity(present, 0)) return;
  throw new UsageError(`A val may not be made ${wanted} here.`, {
    hint: 'Leave the privacy out, or ask the person who started this server to allow it.',
  });
}
