import { inspect } from 'node:util';
import { mostErrorCharacters, type Start, type Thrown } from '../protocol.ts';
import { createModules, problemOf } from './modules.ts';
import { protectOtherFiles } from './other-files.ts';
import { protectOtherProcesses } from './other-processes.ts';
import { end, openPipe } from './pipe.ts';
import { sendValue } from './value.ts';

let hasPrinted = false;
printAtOnce();
const isInSandbox = process.permission !== undefined;
if (isInSandbox) {
  // A setter on Object.prototype would get internal objects of Node, and with them the functions that the sandbox replaces.
  Object.preventExtensions(Object.prototype);
  protectOtherFiles();
  protectOtherProcesses();
}
const pipe = openPipe();
void run(pipe.start);

function printAtOnce(): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const { get } = Object.getOwnPropertyDescriptor(process, name) ?? {};
    let stream: Printing | undefined;
    const open = () => {
      hasPrinted = true;
      stream = get?.call(process) as Printing;
      // Without setBlocking, Node buffers the output and loses the buffer when the process ends.
      stream._handle?.setBlocking?.(true);
      return stream;
    };
    if (get) Object.defineProperty(process, name, { configurable: true, get: () => stream ?? open() });
  }
}

type Printing = { _handle?: { setBlocking?(blocking: boolean): void } };

async function run({ entry, args, serve }: Start): Promise<void> {
  process.on('uncaughtException', fail);
  let whenIdle = () => {
    pipe.send({ unfinished: true });
    leave();
  };
  process.once('beforeExit', () => whenIdle());
  const file = 'id' in entry ? ('path' in entry && entry.path) || entry.id : '';
  process.argv = [process.execPath, file, ...args];
  try {
    const { default: exported } = await createModules(pipe.ask).run(entry);
    if (serve) {
      const { serveRequests } = await import('./serve.ts');
      const port = await serveRequests(exported, serve.secret, (request, error) =>
        pipe.send({ failed: failureOf(error), request }),
      );
      return pipe.send({ listening: port });
    }
    if (exported === undefined) {
      whenIdle = () => finish({ isSilent: !hasPrinted });
      return;
    }
    await sendValue(typeof exported === 'function' ? await exported(...args) : exported, pipe);
    finish();
  } catch (error) {
    fail(error);
  }
}

function finish(facts: { isSilent?: boolean } = {}): void {
  pipe.send({ done: true, ...facts });
  leave();
}

function fail(error: unknown): void {
  pipe.send({ failed: failureOf(error) });
  leave();
}

const failureOf = (error: unknown): Thrown => ({ ...describe(error), ...problemOf(error) });

function leave(): void {
  process.once('exit', end);
  process.exit();
}

type PermissionErrorFields = { permission?: string; resource?: string };

function describe(error: unknown): Thrown {
  try {
    if (error instanceof Error) {
      const { name, message, stack = '', permission, resource } = error as Error & PermissionErrorFields;
      const text = shortened(`${name}: ${message}${causesOf(error)}`);
      if (permission === undefined) return { text, stack: shortened(stack) };
      const explanation = message.replace(/ Use --allow-.*$/s, '').replace(/\.$/, '');
      const denied = [permission, resource].filter(Boolean).join(', ');
      return {
        text: shortened(`${name}: ${explanation} (${denied})`),
        stack: shortened(stack),
        isDeniedBySandbox: true,
      };
    }
    return { text: shortened(typeof error === 'string' ? error : inspect(error)), stack: '' };
  } catch {
    return { text: 'a value that cannot be shown', stack: '' };
  }
}

const shortened = (text: string): string => `${text}`.slice(0, mostErrorCharacters);

const mostCauses = 5;

function causesOf(error: Error): string {
  let text = '';
  let { cause } = error;
  for (let count = 0; cause !== undefined && cause !== null && count < mostCauses; count++) {
    text += `\ncaused by ${cause instanceof Error ? `${cause.name}: ${cause.message}` : inspect(cause)}`;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return text;
}
