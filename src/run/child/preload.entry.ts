// Node loads this file before the val, in each thread of the val.
import { errorMonitor } from 'node:events';
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Lock, reportFailure } from './channel.ts';
import { copyOutput } from './copy-output.ts';
import { initialize, load, resolve } from './hooks.entry.ts';

const lockName = 'vals run';

// Loading node:worker_threads takes 5 ms, so a val that may not have threads does without.
const threads =
  process.permission?.has('worker') === false ? undefined : process.getBuiltinModule('node:worker_threads');
// A program that the val starts inherits these options, but not the channels to vals. A val that may start none keeps them:
// a thread with `{ execArgv: process.execArgv }` would be without permissions otherwise.
if (process.permission?.has('child') !== false) process.execArgv = [];
delete require.cache[__filename];
const lock: Lock = sharedLock();
if ('registerHooks' in module && typeof module.registerHooks === 'function') {
  initialize(lock);
  module.registerHooks({ resolve, load });
} else {
  module.register(pathToFileURL(join(__dirname, 'hooks.cjs')), { data: lock });
}
if (threads === undefined || threads.isMainThread) {
  reportUncaughtErrors();
  copyOutput();
}

/** All threads of the val ask for modules over the same channel. */
function sharedLock(): Lock {
  const found = threads?.getEnvironmentData(lockName);
  if (found instanceof Int32Array) return found;
  const made = new Int32Array(new SharedArrayBuffer(4));
  threads?.setEnvironmentData(lockName, made);
  return made;
}

/** An error that the val itself handles is no failure. */
function reportUncaughtErrors(): void {
  let failedWrite: unknown;
  const output: NodeJS.EventEmitter = process.stdout;
  output.on(errorMonitor, (error) => {
    failedWrite = error;
  });
  process.on('uncaughtExceptionMonitor', (error) => {
    const isHandled =
      process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
    if (isHandled) return;
    // The reader of the output has left, as `head` does. Before Node 22.15, loader hooks let console.log fail, too.
    const readerLeft = error === failedWrite && 'code' in error && error.code === 'EPIPE';
    if (!readerLeft) reportFailure(error);
    // Comes after all listeners of this event, and before Node would print the error.
    process.once('uncaughtException', () => process.exit(readerLeft ? 0 : 1));
  });
}
