// Tells somebody else's val from one that is not there.
import type { Call, Request, RouteName } from '../http/call.ts';
import { CallFailed, isStatus } from '../http/request/faults.ts';
import * as routes from '../routes.ts';

const routesOfOwner: ReadonlySet<RouteName> = new Set([
  'createVersion',
  'getVersion',
  'listVersions',
  'valRuns',
]);

/** Whether the service answered 404 although it shows the val, because the val is somebody else's. */
export async function isAboutOthers(
  { call, fault }: CallFailed,
  send: Request,
  /** The ids of vals that the service has just shown. */
  shown: ReadonlySet<string>,
): Promise<boolean> {
  const { route, val, version } = call;
  if (val === undefined || !routesOfOwner.has(route) || !isStatus(fault, 404)) return false;
  if (route === 'listVersions' && shown.has(val.id)) return true;
  const lacksOneVersion = version !== undefined && (await statusOf(routes.listVersions(val), send)) !== 404;
  return !lacksOneVersion && (await statusOf(routes.getVal(val), send)) === 200;
}

const statusOf = (call: Call, send: Request): Promise<number> =>
  send(call).then(
    ({ status }) => status,
    (error) => (error instanceof CallFailed && 'status' in error.fault ? error.fault.status : 0),
  );
