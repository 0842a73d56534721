import { hasStatus } from '../errors.ts';

const statusesWithoutRoute = [404, 405, 501];

/** Returns undefined if the service has no such route: not every service has every route. */
export const ifRouteExists = <Result>(ask: () => Promise<Result>): Promise<Result | undefined> =>
  undefinedOn(statusesWithoutRoute, ask);

/** Returns undefined if the service has no such thing (any more), or no such route. */
export const ifPresent = <Result>(ask: () => Promise<Result>): Promise<Result | undefined> =>
  undefinedOn([...statusesWithoutRoute, 410], ask);

async function undefinedOn<Result>(
  statuses: readonly number[],
  ask: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (hasStatus(error, ...statuses)) return undefined;
    throw error;
  }
}
