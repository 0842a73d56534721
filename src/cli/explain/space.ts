import type { Request } from '../../api/call.ts';
import { CallFailed } from '../../api/http/faults.ts';
import * as routes from '../../api/routes.ts';
import { NoSpaceError } from '../../errors.ts';
import { type BaseUrl, spaceIn } from '../../settings/base-url.ts';

/** In a space, a 404 may mean that the space does not exist. `next` asks the service who the space is. */
export async function spaceFailure(
  failed: CallFailed,
  next: Request,
  base: BaseUrl,
): Promise<NoSpaceError | CallFailed | undefined> {
  const space = spaceIn(base);
  if (space === undefined || !hasStatus(failed, 404, 410)) return undefined;
  const isAboutMe = failed.call.route === 'me';
  const failure = isAboutMe ? failed : await next(routes.me()).catch((error: unknown) => error);
  if (!(failure instanceof CallFailed)) return undefined;
  if (hasStatus(failure, 401, 403)) return failure;
  return hasStatus(failure, 404, 410) ? noSpace(space.name, space.service.href) : undefined;
}

const hasStatus = ({ fault }: CallFailed, ...statuses: number[]): boolean =>
  fault.kind === 'status' && statuses.includes(fault.status);

/** The error must have no HTTP status, because commands take status 404 to mean that the val does not exist. */
const noSpace = (name: string, service: string): NoSpaceError =>
  new NoSpaceError(`There is no space ${name} on ${service}, or you are not a member of that space.`, {
    hint: [
      { text: 'To list your spaces', command: 'use' },
      'To become a member, ask the person who runs the service.',
      { text: 'To add a member', command: 'space grant', input: { name } },
    ],
    scope: 'all',
  });
