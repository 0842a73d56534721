import { ChildProcess } from 'node:child_process';
import module from 'node:module';
import os from 'node:os';
import { AccessDenied, replace } from './deny.ts';

export function protectOtherProcesses(): void {
  forbidSignals();
  forbidPriorities();
  forbidThreads();
}

/**
 * A val may send signals only to itself. SIGUSR1 would open the debugger of the parent process, which runs without a
 * sandbox.
 */
function forbidSignals(): void {
  const ownPid = process.pid;
  const send: unknown = Reflect.get(process, '_kill');
  const deny = (): never => {
    throw new AccessDenied('Signal');
  };
  replace(process, '_kill', (pid: unknown, signal: unknown): unknown => {
    if (Number(pid) !== ownPid || typeof send !== 'function') return deny();
    return send(ownPid, signal);
  });
  replace(process, '_debugProcess', deny);
  // The handle of a ChildProcess can send signals even if no process was started.
  const handle: unknown = Reflect.get(new ChildProcess(), '_handle');
  if (typeof handle === 'object' && handle !== null) replace(Object.getPrototypeOf(handle), 'kill', deny);
}

function forbidPriorities(): void {
  const { setPriority } = os;
  const ownPid = process.pid;
  replace(os, 'setPriority', (...args: unknown[]): void => {
    const [pid, priority] = args.length > 1 ? args : [0, args[0]];
    if (pid !== 0 && pid !== ownPid) throw new AccessDenied('Priority');
    setPriority(ownPid, Number(priority));
  });
}

/**
 * In Node 20.18 and 22.10, `module.register` starts a thread despite the sandbox. A thread has the original functions,
 * which do not deny anything.
 */
function forbidThreads(): void {
  replace(module, 'register', () => {
    throw new AccessDenied('WorkerThreads');
  });
}
