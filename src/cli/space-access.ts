import type { Request } from '../api/call.ts';
import * as routes from '../api/routes.ts';
import { AuthError, NoSpaceError, NotFoundError, readOnlyMember } from '../errors.ts';
import { isObject } from '../lib/json.ts';
import { type BaseUrl, spaceIn } from '../settings/base-url.ts';

export function checkingSpace(request: Request, baseUrl: BaseUrl): Request {
  const space = spaceIn(baseUrl);
  if (!space) return request;
  const me = routes.me();
  const addMember = { text: 'To add a member', command: 'space grant', input: { name: space.name } };
  const noSpace = (): NoSpaceError =>
    // The error must have no HTTP status, because commands take status 404 to mean that the val does not exist.
    new NoSpaceError(
      `There is no space ${space.name} on ${space.service.href}, or you are not a member of that space.`,
      {
        hint: [
          { text: 'To list your spaces', command: 'use' },
          'To become a member, ask the person who runs the service.',
          addMember,
        ],
      },
    );
  const mayOnlyRead = ({ message, facts }: AuthError): AuthError =>
    new AuthError(message, {
      ...facts,
      hint: ['To get write access, ask the person who runs the service.', addMember],
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
