// Keeps the val from sending signals to other processes. Node's permission model does not cover signals.

/**
 * SIGUSR1 makes a Node process open its debugger. A val could send SIGUSR1 to the parent, connect to the parent's
 * debugger, and then do everything that the parent may do. All of Node's functions for signals call `_kill` or
 * `_debugProcess`.
 */
export function forbidSignals(): void {
  const ownPid = process.pid;
  const send: unknown = Reflect.get(process, '_kill');
  replace('_kill', (pid: unknown, signal: unknown): unknown => {
    if (Number(pid) !== ownPid || typeof send !== 'function') throw new SignalDenied();
    return send(ownPid, signal);
  });
  replace('_debugProcess', () => {
    throw new SignalDenied();
  });
}

const replace = (name: string, value: (...args: unknown[]) => unknown): void =>
  void Object.defineProperty(process, name, { value, writable: false, configurable: false });

/**
 * Has the same code and the same field as the errors of Node's permission model, so that the parent reports both in the
 * same way.
 */
class SignalDenied extends Error {
  readonly code = 'ERR_ACCESS_DENIED';
  readonly permission = 'Signal';

  constructor() {
    super('Access to this API has been restricted');
  }
}
