import { Socket } from 'node:net';
import { AccessDenied, replace } from './deny.ts';
import { separateEnvironment } from './environment.ts';
import { normalizeFilePaths } from './file-paths.ts';

export function protectOtherFiles(): void {
  forbidOtherWorkingDirectory();
  normalizeFilePaths();
  forbidReportOfFatalError();
  // Windows has no socket files. On Windows, `process.env` ignores the case of names, but a copy of `process.env` would
  // not.
  if (process.platform === 'win32') return;
  forbidSocketFiles();
  separateEnvironment();
}

/**
 * Node checks a relative path when the val calls a function of `fs`, but opens the file later. A val that changes the
 * working directory in between could open another file.
 */
function forbidOtherWorkingDirectory(): void {
  replace(process, 'chdir', () => {
    throw new AccessDenied('WorkingDirectory');
  });
}

/** When the memory of the val is full, Node writes this report to any file that the val names. Node does not check the path. */
function forbidReportOfFatalError(): void {
  Object.defineProperty(process.report, 'reportOnFatalError', {
    get: () => false,
    set() {
      throw new AccessDenied('Report');
    },
    configurable: false,
  });
}

/**
 * When a socket closes, Node deletes the file at the path of the socket. If the path is `/proc/self/fd/9/name`, the val
 * could open another folder as descriptor 9 before the socket closes. Node would then delete a file in that folder.
 */
function forbidSocketFiles(): void {
  const prototype = pipePrototype();
  const deny = (): never => {
    throw new AccessDenied('SocketFile');
  };
  for (const name of ['bind', 'fchmod']) replace(prototype, name, deny);
}

/** Node does not export its class for UNIX sockets. But the `_handle` of a failed connection has that class. */
function pipePrototype(): object {
  const socket = new Socket().connect({ path: '/dev/null/no-socket' });
  const handle: unknown = Reflect.get(socket, '_handle');
  if (!isHandle(handle)) throw new TypeError('The socket has no handle.');
  // `socket.destroy()` would read `process.stderr`. Then vals would assume that the val has printed something.
  Reflect.set(socket, 'destroyed', true);
  handle.close();
  return Object.getPrototypeOf(handle);
}

const isHandle = (value: unknown): value is { close(): void } =>
  typeof value === 'object' && value !== null && 'close' in value;
