// Node loads this file before the val, in each thread of the val.
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { frameKinds } from '../protocol.ts';
import { sendBytes } from './channel.ts';
import { fail } from './fail.ts';
import { type HookData, initialize, load, resolve } from './hooks.ts';

const dataName = 'vals run';

// Loading node:worker_threads takes 5 ms, so a val that may not have threads does without.
const threads =
  process.permission?.has('worker') === false ? undefined : process.getBuiltinModule('node:worker_threads');
registerHooks();
if (threads === undefined || threads.isMainThread) {
  reportUncaughtErrors();
  copyOutput();
}

function registerHooks(): void {
  const data = hookData();
  threads?.setEnvironmentData(dataName, { ...data });
  // Node 22.15 and later.
  if ('registerHooks' in module && typeof module.registerHooks === 'function') {
    initialize(data);
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
    if (!isHandled) fail(error);
  });
}

/**
 * Copies what the val prints, so that vals can keep it. With pipes in place of the terminal, the val would not know that
 * it writes to a terminal, and would print without colours and prompts.
 */
function copyOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : 'utf8';
      sendBytes(frameKinds.log, typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
      return write(chunk, ...rest);
    };
  }
}
