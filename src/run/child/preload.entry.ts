// Node loads this file before the val, in each thread of the val.
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { copyOutput } from './copy-output.ts';
import { reportFailure } from './fail.ts';
import { extendRequire, type HookData, initialize, load, needsExtensions, resolve } from './hooks.entry.ts';

const dataName = 'vals run';

// Loading node:worker_threads takes 5 ms, so a val that may not have threads does without.
const threads =
  process.permission?.has('worker') === false ? undefined : process.getBuiltinModule('node:worker_threads');
// A program that the val starts inherits these options, but not the channels to vals.
process.execArgv = [];
delete require.cache[__filename];
registerHooks();
if (threads === undefined || threads.isMainThread) {
  reportUncaughtErrors();
  copyOutput();
}

function registerHooks(): void {
  const data = hookData();
  initialize(data);
  if (needsExtensions) extendRequire();
  threads?.setEnvironmentData(dataName, { ...data });
  // Node 22.15 and later.
  if ('registerHooks' in module && typeof module.registerHooks === 'function') {
    module.registerHooks({ resolve, load });
    return;
  }
  module.register(pathToFileURL(join(__dirname, 'hooks.cjs')), { data });
}

/** The threads of a val share the data of its first thread. */
function hookData(): HookData {
  const known = threads?.getEnvironmentData(dataName);
  if (isHookData(known)) return known;
  const [, program = '', , url = ''] = process.argv;
  const entry = program === join(__dirname, 'main.cjs') ? url : pathToFileURL(program).href;
  return { lock: new SharedArrayBuffer(4), entry };
}

function isHookData(value: unknown): value is HookData {
  return typeof value === 'object' && value !== null && 'lock' in value;
}

/** An error that the val itself handles is no failure. */
function reportUncaughtErrors(): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    const isHandled =
      process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
    if (isHandled) return;
    reportFailure(error);
    // Comes after all listeners of this event, and before Node would print the error.
    process.once('uncaughtException', () => process.exit(1));
  });
}
