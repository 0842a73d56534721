import type { Request } from '../../api/call.ts';
import { CallFailed } from '../../api/http/call-failed.ts';
import * as routes from '../../api/routes.ts';
import { NoSpaceError } from '../../errors.ts';
import { spaceIn } from '../../settings/base-url.ts';
import type { Service } from './service.ts';

const addMember = (name: string) => ({ text: 'To add a member', command: 'space grant', input: { name } });

/** In a space, a 404 may mean that the space does not exist. `next` asks the service who the space is. */
export function createSpaceCheck(next: Request, { base }: Service) {
  const space = spaceIn(base);
  let asked: Promise<CallFailed | undefined> | undefined;

  async function failureOfSpace(): Promise<CallFailed | undefined> {
    try {
      await next(routes.me());
      return undefined;
    } catch (error) {
      if (error instanceof CallFailed) return error;
      throw error;
    } finally {
      asked = undefined;
    }
  }

  return async (failed: CallFailed): Promise<NoSpaceError | CallFailed | undefined> => {
    if (space === undefined || !hasStatus(failed, 404, 410)) return undefined;
    if (failed.call.route !== 'me') {
      asked ??= failureOfSpace();
      const failure = await asked;
      if (failure === undefined) return undefined;
      if (hasStatus(failure, 401, 403)) return failure;
      if (!hasStatus(failure, 404, 410)) return undefined;
    }
    return noSpace(space.name, space.service.href);
  };
}

const hasStatus = ({ fault }: CallFailed, ...statuses: number[]): boolean =>
  fault.kind === 'status' && statuses.includes(fault.status);

/** The error must have no HTTP status, because commands take status 404 to mean that the val does not exist. */
const noSpace = (name: string, service: string): NoSpaceError =>
  new NoSpaceError(`There is no space ${name} on ${service}, or you are not a member of that space.`, {
    hint: [
      { text: 'To list your spaces', command: 'use' },
      'To become a member, ask the person who runs the service.',
      addMember(name),
    ],
    scope: 'all',
  });
