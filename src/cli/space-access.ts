import type { Request } from '../api/call.ts';
import * as routes from '../api/routes.ts';
import { AuthError, NoSpaceError, NotFoundError } from '../errors.ts';
import { isObject } from '../lib/json.ts';
import { readOnlyMember } from '../lib/problem-types.ts';
import { shell } from '../lib/shell-command.ts';
import { type BaseUrl, spaceIn } from '../settings/base-url.ts';

export function checkingSpace(request: Request, baseUrl: BaseUrl): Request {
  const space = spaceIn(baseUrl);
  if (!space) return request;
  const me = routes.me();
  const noSpace = (): NoSpaceError =>
    // The error must have no HTTP status, because commands take status 404 to mean that the val does not exist.
    new NoSpaceError(
      `There is no space ${space.name} on ${space.service.href}, or you are not a member of that space.`,
      {
        hint: `To list your spaces, run \`vals use\`. To become a member, ask the person who runs the service to run ${shell`vals space grant ${space.name} <username>`}.`,
      },
    );
  const mayOnlyRead = ({ message, facts }: AuthError): AuthError =>
    new AuthError(message, {
      ...facts,
      hint: `To get write access, ask the person who runs the service to run ${shell`vals space grant ${space.name} <username>`}.`,
    });
  let asked: Promise<boolean> | undefined;

  async function isThere(): Promise<boolean> {
    try {
      await request(me);
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      if (error instanceof AuthError) throw error;
    } finally {
      asked = undefined;
    }
    return true;
  }

  return async (call) => {
    try {
      return await request(call);
    } catch (error) {
      if (error instanceof AuthError && isReadOnly(error)) throw mayOnlyRead(error);
      if (!(error instanceof NotFoundError)) throw error;
      if (call.path === me.path) throw noSpace();
      asked ??= isThere();
      throw (await asked) ? error : noSpace();
    }
  };
}

const isReadOnly = ({ facts: { status, body } }: AuthError): boolean =>
  status === 403 && isObject(body) && body.type === readOnlyMember;
