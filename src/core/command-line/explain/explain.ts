// The sentences about requests that failed: http-status.ts what a status means, by-route.ts what it means for one route,
// connection.ts connections that failed, bad-reply.ts replies that make no sense, service-message.ts what the service says.

import {
  AuthError,
  BadResponseError,
  InterruptedError,
  LocalError,
  NoSpaceError,
  type ValsError,
} from '../../errors.ts';
import { type CallFailed, isStatus } from '../../http/request/faults.ts';
import type { Hints } from '../../lib/hint.ts';
import { type BaseUrl, spaceIn } from '../../settings/base-url.ts';
import type { Settings } from '../../settings/settings.ts';
import { badReply } from './bad-reply.ts';
import { connectionError } from './connection.ts';
import { statusError } from './http-status.ts';
import { type Explained, messagesFor, requestFacts, type Service } from './service.ts';

/** Turns the data of a failed call into the error that the user reads. */
export function explain({ call, fault, maybeApplied }: CallFailed, service: Service): ValsError {
  const failed: Explained = { call, fault, maybeApplied, service };
  switch (fault.kind) {
    case 'no token':
      return new AuthError(`There is no token for ${service.base.origin}.`, {
        ...requestFacts(failed),
        hint: service.signInHint(),
      });
    case 'secret':
      return secretError(fault.part);
    case 'secret in a link':
      return linkWithSecret(failed);
    case 'interrupted':
      return interruption(failed);
    case 'not connected':
    case 'rejected':
    case 'lost':
    case 'timed out':
      return connectionError({ ...failed, fault });
    case 'unreadable':
    case 'unusable':
      return badReply({ ...failed, fault });
    case 'status': {
      const space = spaceIn(service.base);
      if (space !== undefined && call.route === 'me' && isStatus(fault, 404, 410))
        return noSpace(space.name, space.service.href);
      return service.storeFailure(fault.status) ?? statusError({ ...failed, fault });
    }
  }
}

const secretError = (part: string): LocalError =>
  new LocalError(`The ${part} contains your token, so it was not sent.`, {
    hint: `Remove your token from the ${part}. Otherwise anybody who can read the ${part} could act as you.`,
  });

const linkWithSecret = (failed: Explained): BadResponseError =>
  new BadResponseError('The service sent your token in the link to the next page of a list.', {
    ...requestFacts(failed),
    hint: 'Do not trust this service. Revoke the token, and log in to a service that you know.',
  });

function interruption(failed: Explained): InterruptedError {
  const { call, maybeApplied, service } = failed;
  const { reason } = service.signal;
  const interrupted = reason instanceof InterruptedError ? reason : new InterruptedError(130);
  if (!maybeApplied) return interrupted;
  const { method, path } = call;
  return new InterruptedError(
    interrupted.exit,
    'Interrupted while the request was under way. It is not known whether the service made the change.',
    { hint: messagesFor(failed).ifUnknown, method, path },
  );
}

/** What to do without a token, or with one that the service does not accept. */
export function hintToSignIn(settings: Settings, { href }: BaseUrl, isNewToken: boolean): Hints {
  if (isNewToken) return 'Nothing was stored. Check the token, then sign in again.';
  const { token } = settings;
  if (token === undefined && settings.isEmpty('VALS_TOKEN')) {
    return 'VALS_TOKEN is set, but empty. In CI, check the name of the secret.';
  }
  if (token?.source === 'VALS_TOKEN') return 'Set VALS_TOKEN to a token of the service.';
  return [{ text: 'To sign in', command: 'login', input: { baseUrl: href } }, 'Or set VALS_TOKEN.'];
}

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
