/** The val cannot undo the replacement. */
export const replace = (target: object, name: string, value: (...args: unknown[]) => unknown): void =>
  // The setter must not throw, because Node assigns process.chdir when a val first uses Response.
  void Object.defineProperty(target, name, { get: () => value, set() {}, configurable: false });

type Permission = 'Signal' | 'Priority' | 'WorkerThreads' | 'WorkingDirectory' | 'SocketFile' | 'Environment';

export class AccessDenied extends Error {
  readonly code = 'ERR_ACCESS_DENIED';

  constructor(readonly permission: Permission) {
    super('Access to this API has been restricted');
  }
}
