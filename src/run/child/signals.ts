// Keeps the val from sending signals to other processes. Node's permission model does not cover signals.

/**
 * SIGUSR1 makes a Node process open its debugger. A val that sends it to the parent could then connect to the debugger,
 * and do everything that the parent may do. All of Node's functions for signals call one of these two.
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

/** Has the code and the field of the errors of Node's permission model, so that it is reported like them. */
class SignalDenied extends Error {
  readonly code = 'ERR_ACCESS_DENIED';
  readonly permission = 'Signal';

  constructor() {
    super('Access to this API has been restricted');
  }
}
