// Node's permission model does not cover signals.
import { ChildProcess } from 'node:child_process';

/**
 * With SIGUSR1, a val could open the debugger of the parent, and then do everything that the parent may do. All of
 * Node's functions for signals call `_kill` or `_debugProcess`.
 */
export function forbidSignals(): void {
  const ownPid = process.pid;
  const send: unknown = Reflect.get(process, '_kill');
  replace('_kill', (pid: unknown, signal: unknown): unknown => {
    if (Number(pid) !== ownPid || typeof send !== 'function') throw new SignalDenied();
    return send(ownPid, signal);
  });
  replace('_debugProcess', deny);
  // The handle of a child process can send a signal even if no process was started.
  const handle: unknown = Reflect.get(new ChildProcess(), '_handle');
  if (typeof handle === 'object' && handle !== null) replace('kill', deny, Object.getPrototypeOf(handle));
}

const deny = (): never => {
  throw new SignalDenied();
};

const replace = (name: string, value: (...args: unknown[]) => unknown, target: object = process): void =>
  void Object.defineProperty(target, name, { value, writable: false, configurable: false });

/** The parent reports this error like the errors of Node's permission model. */
class SignalDenied extends Error {
  readonly code = 'ERR_ACCESS_DENIED';
  readonly permission = 'Signal';

  constructor() {
    super('Access to this API has been restricted');
  }
}
