/**
 * The val cannot get the original function back. The property can be assigned, because packages such as graceful-fs and
 * Node itself put functions around process.chdir. Such a function calls the replacement.
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
