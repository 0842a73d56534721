// The process of the val: loads it, calls it, tells vals what came of it. Nothing else of vals is in here.
import { fstatSync } from 'node:fs';
import { inspect, stripVTControlCharacters } from 'node:util';
import type { ModuleAnswer, Order, Thrown } from '../protocol.ts';
import { createModules, problemOf } from './modules.ts';
import { openPipe } from './pipe.ts';
import { sendValue } from './value.ts';

printAtOnce();

const waiting = new Map<number, (module: ModuleAnswer) => void>();
let loads = 0;

const pipe = openPipe((order: Order) => {
  if ('start' in order) return void run(order.start);
  waiting.get(order.answer)?.(order.module);
  waiting.delete(order.answer);
  pipe.release();
});

const modules = createModules((specifier, from) => {
  const load = loads++;
  pipe.hold();
  void pipe.send({ load, specifier, from });
  return new Promise((answered) => waiting.set(load, answered));
});

/** Into a pipe Node prints when it finds time, and keeps in memory what waits, which is lost when the val ends. */
function printAtOnce(): void {
  for (const [number, stream] of [
    [1, () => process.stdout],
    [2, () => process.stderr],
  ] as const) {
    const stats = fstatSync(number);
    if (!stats.isFIFO() && !stats.isSocket()) continue;
    const { _handle: handle } = stream() as { _handle?: { setBlocking?(blocking: boolean): void } };
    handle?.setBlocking?.(true);
  }
}

type Start = Extract<Order, { start: unknown }>['start'];

async function run({ entry, args, serve }: Start): Promise<void> {
  // A val that has no more to wait for is at its end, whether or not vals would still talk to it.
  pipe.release();
  process.on('uncaughtException', fail);
  let atRest = () => pipe.send({ unfinished: true }).then(leave);
  process.once('beforeExit', () => void atRest());
  const file = 'id' in entry ? (entry.path ?? entry.id) : 'native' in entry ? entry.packagesFrom : '';
  process.argv = [process.execPath, file, ...args];
  try {
    const { default: exported } = await modules.run(entry);
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

/** What the val left open, timers and servers, ends with it. */
function leave(): void {
  process.exit();
}

/** What Node's permission model adds to its errors. */
type Denied = { permission?: string; resource?: string };

function describe(error: unknown): Thrown {
  try {
    if (error instanceof Error) {
      const { name, message, stack = '', permission, resource } = error as Error & Denied;
      // Deno colours what it says of modules.
      const text = stripVTControlCharacters(`${name}: ${message}`);
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
