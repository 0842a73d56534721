// The program of the val's process, for a val that has a default export or no file.
import { fileURLToPath } from 'node:url';
import { endValue, fail, sendEvent } from './channel.ts';
import { functionIn, sendValue } from './value.ts';

const [mode = '', url = ''] = process.argv.splice(2, 2);
// `cluster` and `fork(process.argv[1])` start this file again, without the options of vals.
if (!['call', 'script', 'serve'].includes(mode)) {
  console.error(
    'A val with a default export cannot start itself again. Use a file without a default export.',
  );
  process.exit(1);
}
let isFinished = false;
let isIdle = false;

process.on('beforeExit', () => {
  isIdle = true;
});
process.on('exit', () => {
  // Node uses this exit code if a promise that the program waits for never settles.
  if (isIdle && !isFinished) process.exitCode = 13;
});
void run();

async function run(): Promise<void> {
  if (mode === 'script') process.argv[1] = fileURLToPath(url);
  const exported = await importDefault();
  if (mode === 'serve') {
    const { serve } = await import('./answer-requests.ts');
    serve(exported);
    return finish();
  }
  if (mode === 'call') await callAndSend(exported);
  finish();
}

async function importDefault(): Promise<unknown> {
  try {
    const { default: exported } = await import(url);
    const isTranspiled = typeof exported === 'object' && exported !== null && exported.__esModule === true;
    return isTranspiled ? exported.default : exported;
  } catch (error) {
    // Outside of the promise, the error reaches the val's handler of uncaught exceptions, as in Node.
    setImmediate(() => {
      throw error;
    });
    return new Promise(() => {});
  }
}

async function callAndSend(exported: unknown): Promise<void> {
  let takesRequests = false;
  try {
    const call = functionIn(exported);
    takesRequests = call !== undefined && (call !== exported || call.name === 'fetch');
    await sendValue(call === undefined ? exported : await call(...process.argv.slice(2)));
    endValue();
    sendEvent({ kind: 'returned' });
  } catch (error) {
    fail(error, { takesRequests });
  }
}

function finish(): void {
  isFinished = true;
}
