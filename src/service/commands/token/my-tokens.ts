import type { Context } from '../../../core/command-line/command.ts';
import { NotFoundError, UsageError } from '../../../core/errors.ts';
import { ifRouteExists } from '../../../core/http/api.ts';
import { sh } from '../../../core/lib/hint.ts';
import { type JsonObject, textAt } from '../../../core/lib/json.ts';
import * as routes from '../../../core/routes.ts';
import { embeddedPlace, requireStore } from '../shared/store-place.ts';

/** The route for tokens is one that many services lack. */
export async function onTokenRoute<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = await ifRouteExists(work);
  if (result !== undefined) return result;
  throw new NotFoundError('This service has no route for tokens, or the base URL is wrong.', {
    hint: [
      sh`To check the base URL, run ${['config']}.`,
      'If it is right, ask the person who runs the service for a token.',
    ],
  });
}

export async function listTokens({
  api: connect,
  settings,
}: Pick<Context, 'api' | 'settings'>): Promise<JsonObject[]> {
  if (settings.local.value) requireStore(embeddedPlace(settings));
  const api = await connect();
  return onTokenRoute(async () => {
    const tokens: JsonObject[] = [];
    for await (const { records } of api.pages(routes.myTokens())) tokens.push(...records);
    return tokens;
  });
}

/**
 * By the name of a token that was made at this base URL, or by the id of any token in the list, or the beginning of the id.
 * Below a space, all tokens in the list are for that space. Elsewhere, the token in use is for none.
 */
export function findToken(tokens: readonly JsonObject[], word: string): JsonObject {
  const spaces = new Set(tokens.map(({ space }) => space ?? null));
  const isFromHere = ({ space = null }: JsonObject) => space === null || !spaces.has(null);
  const named = tokens.find((token) => isFromHere(token) && textAt(token, 'name') === word);
  if (named) return named;
  const [found, other] = tokens.filter((token) => isIdOf(token, word));
  if (found && other) {
    throw new UsageError(`The ids of several tokens begin with ${word}.`, {
      hint: 'Give the name of the token.',
    });
  }
  if (found) return found;
  throw noToken(tokens, word);
}

function noToken(tokens: readonly JsonObject[], word: string): NotFoundError {
  const ofSpace = tokens.find((token) => textAt(token, 'name') === word);
  if (!ofSpace) {
    const hint = sh`To list your tokens, run ${['token', 'ls']}.`;
    return new NotFoundError(`You have no token named ${word} here.`, { hint });
  }
  const [id = '', space] = [textAt(ofSpace, 'id'), textAt(ofSpace, 'space')];
  return new NotFoundError(`You have no token named ${word} here, but one for the space ${space}.`, {
    hint: sh`To end it, run ${['token', 'rm', id]}, or use the base URL of the space.`,
  });
}

const shortestId = 6;

const isIdOf = (token: JsonObject, word: string): boolean =>
  word.length >= shortestId && textAt(token, 'id')?.startsWith(word.toLowerCase()) === true;
