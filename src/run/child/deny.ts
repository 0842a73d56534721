/** The val cannot undo the replacement. */
export const replace = (target: object, name: string, value: (...args: unknown[]) => unknown): void =>
  void Object.defineProperty(target, name, { value, writable: false, configurable: false });

export class AccessDenied extends Error {
  readonly code = 'ERR_ACCESS_DENIED';

  constructor(readonly permission: 'Signal' | 'Priority' | 'WorkingDirectory' | 'SocketFile') {
    super('Access to this API has been restricted');
  }
}
