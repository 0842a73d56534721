import { hasStatus } from '../errors.ts';

/** Returns undefined if the service has no such thing, or no such route: not every service has every route. */
export async function ifPresent<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (hasStatus(error, 404, 405, 410, 501)) return undefined;
    throw error;
  }
}
