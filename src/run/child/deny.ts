/**
 * The val cannot get the original function back. Assignments must work, because Node and packages such as graceful-fs
 * wrap process.chdir in a function of their own.
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

type Permission = 'Signal' | 'Priority' | 'WorkerThreads' | 'WorkingDirectory' | 'SocketFile' | 'Environment';

export class AccessDenied extends Error {
  readonly code = 'ERR_ACCESS_DENIED';

  constructor(readonly permission: Permission) {
    super('Access to this API has been restricted');
  }
}
