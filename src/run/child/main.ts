// The process of the val: loads it, calls it, tells vals what came of it. Nothing else of vals is in here.
import { inspect, stripVTControlCharacters } from 'node:util';
import type { Start, Thrown } from '../protocol.ts';
import { createModules, problemOf } from './modules.ts';
import { openNodePipe } from './node-pipe.ts';
import { createPipe, end, type Pipe } from './pipe.ts';
import { sendValue } from './value.ts';

let pipe: Pipe;

void main();

async function main(): Promise<void> {
  printAtOnce();
  pipe = createPipe(
    'deno' in process.versions ? (await import('./deno-pipe.ts')).openDenoPipe() : openNodePipe(),
  );
  await run(await pipe.start);
}

/** Into a pipe Node prints when it finds time, and keeps in memory what waits, which is lost when the val ends. */
function printAtOnce(): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const { get } = Object.getOwnPropertyDescriptor(process, name) ?? {};
    let stream: Printing | undefined;
    const open = () => {
      stream = get?.call(process) as Printing;
      stream._handle?.setBlocking?.(true);
      return stream;
    };
    // Most vals print nothing, and a stream takes a while to make.
    if (get) Object.defineProperty(process, name, { configurable: true, get: () => stream ?? open() });
  }
}

/** What Node has behind the stream of a pipe; other streams are written at once anyway. */
type Printing = { _handle?: { setBlocking?(blocking: boolean): void } };

async function run({ entry, args, serve }: Start): Promise<void> {
  process.on('uncaughtException', fail);
  let atRest = () => pipe.send({ unfinished: true }).then(leave);
  process.once('beforeExit', () => void atRest());
  const file = 'id' in entry ? (entry.path ?? entry.id) : 'native' in entry ? entry.packagesFrom : '';
  process.argv = [process.execPath, file, ...args];
  try {
    const { default: exported } = await createModules(pipe.ask).run(entry);
    if (serve) {
      const { serveRequests } = await import('./serve.ts');
      const port = await serveRequests(exported, serve.secret, (request, error) =>
        pipe.send({ failed: failureOf(error), request }),
      );
      return void pipe.send({ listening: port });
    }
    if (exported === undefined) {
      atRest = finish;
      return;
    }
    await sendValue(typeof exported === 'function' ? await exported(...args) : exported, pipe);
    await finish();
  } catch (error) {
    await fail(error);
  }
}

async function finish(): Promise<void> {
  await pipe.send({ done: true });
  leave();
}

async function fail(error: unknown): Promise<void> {
  await pipe.send({ failed: failureOf(error) });
  leave();
}

const failureOf = (error: unknown): Thrown => ({ ...describe(error), ...problemOf(error) });

/** What the val left open, timers and servers, ends with it; Node's own tidying up would take longer than most runs. */
function leave(): void {
  process.once('exit', end);
  process.exit();
}

/** What Node's permission model adds to its errors. */
type Denied = { permission?: string; resource?: string };

function describe(error: unknown): Thrown {
  try {
    if (error instanceof Error) {
      const { name, message, stack = '', permission, resource } = error as Error & Denied;
      // Deno colours what it says of modules.
      const text = stripVTControlCharacters(`${name}: ${message}${causesOf(error)}`);
      if (permission === undefined) return { text, stack };
      // Node's advice is about options that are not the user's to give.
      const said = message.replace(/ Use --allow-.*$/s, '').replace(/\.$/, '');
      const what = [permission, resource].filter(Boolean).join(', ');
      return { text: `${name}: ${said} (${what})`, stack, isDenied: true };
    }
    return { text: typeof error === 'string' ? error : inspect(error), stack: '' };
  } catch {
    return { text: 'something that cannot be shown', stack: '' };
  }
}

const mostCauses = 5;

/** A line for each error behind this one. */
function causesOf(error: Error): string {
  let text = '';
  let { cause } = error;
  for (let count = 0; cause !== undefined && cause !== null && count < mostCauses; count++) {
    text += `\ncaused by ${cause instanceof Error ? `${cause.name}: ${cause.message}` : inspect(cause)}`;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return text;
}
