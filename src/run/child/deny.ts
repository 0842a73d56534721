/**
 * Hides the original function from the val. Assignments must still work, because Node and packages such as graceful-fs
 * assign their own function to process.chdir.
 */
export function replace(target: object, name: string, value: (...args: unknown[]) => unknown): void {
  let current: unknown = value;
  Object.defineProperty(target, name, {
    get: () => current,
    set(assigned: unknown) {
      current = assigned;
    },
    configurable: false,
  });
}

type Permission =
  | 'Signal'
  | 'Priority'
  | 'WorkerThreads'
  | 'WorkingDirectory'
  | 'Report'
  | 'SocketFile'
  | 'Environment';

export class AccessDenied extends Error {
  readonly code = 'ERR_ACCESS_DENIED';

  constructor(readonly permission: Permission) {
    super('Access to this API has been restricted');
  }
}
