import { asValsError, UsageError, type ValsError } from '../errors.ts';
import { createSeenVals } from '../find-val/seen-vals.ts';
import { createValList } from '../find-val/val-list.ts';
import type { Api } from '../http/api.ts';
import type { OpenDispatcher } from '../http/request/dispatcher.ts';
import { once } from '../lib/waiting.ts';
import {
  countChanges,
  countOutcomes,
  errorIn,
  outcomesIn,
  type Result,
  sentenceOfOne,
  warnWith,
} from '../output/out.ts';
import { createPrompt } from '../output/prompt.ts';
import { ReaderGone } from '../output/screen.ts';
import { duration } from '../output/times.ts';
import type { ProxyServer } from '../settings/addresses.ts';
import { createSettings } from '../settings/settings.ts';
import type { Connect, Context, LoadedCommand, OpenConnections, OpenLocal } from './command.ts';
import type { Connection } from './connection.ts';
import { resolveVals } from './resolve-vals.ts';

export interface CommandCall {
  command: LoadedCommand;
  input: Record<string, unknown>;
}

/** What a context is made of. */
type ContextOptions = Pick<Context, 'host' | 'tree' | 'connections' | 'flags' | 'out'>;

/** Runs a command and shows its result. Returns the error that decides the exit code. */
export const runCommand = (
  { command, input }: CommandCall,
  options: ContextOptions,
): Promise<ValsError | undefined> =>
  catchError(async () => {
    const context = createContext(options);
    const { out } = context;
    try {
      const result = await command.run(context, await resolveVals(command, input, context));
      const error = errorIn(result);
      const rows = outcomesIn(result);
      const sentence = result.sentence ?? sentenceOfOne(rows);
      const summary = sentence ?? (countChanges(rows) > 0 ? `${countOutcomes(rows)}.` : '');
      if (error === undefined && summary !== '') out.say({ kind: 'done', text: summary });
      const isSaid = error === undefined && sentence !== undefined;
      const isForPerson = out.forPerson && options.flags.fields === undefined;
      const shown =
        isSaid && isForPerson
          ? Promise.resolve()
          : out.show(isForPerson ? forScreen(result, context) : result);
      await (error === undefined ? shown : shown.catch(ignoreReaderGone));
      if (result.kind === 'list' && result.note !== undefined)
        out.say({ kind: 'note', text: result.note, minor: true });
      if (error !== undefined) throw error;
    } finally {
      out.say({ kind: 'progress' });
      context.vals.seen.save();
    }
  });

/** With --local, the service has ended when the address is shown. */
function forScreen(result: Result, { settings }: Context): Result {
  if (result.kind !== 'record' || !settings.local.value) return result;
  const { url, ...record } = result.record;
  return { ...result, record };
}

/** Returns undefined if the reader of the output has ended: then there is nobody to tell. */
export async function catchError(work: () => Promise<void>): Promise<ValsError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof ReaderGone ? undefined : asValsError(error);
  }
}

function ignoreReaderGone(error: unknown): void {
  if (!(error instanceof ReaderGone)) throw error;
}

function createContext(options: ContextOptions): Context {
  const { host, flags, out } = options;
  const { clock } = host;
  const startedAt = clock.now();
  const settings = createSettings(flags, host, warnWith(out.say));
  const seen = createSeenVals(settings, (text) => out.redact(text) !== text);
  const ask = createPrompt(host, out);
  const connections: Connection[] = [];

  async function connect(to?: Connect): Promise<Api> {
    const { openConnection } = await import('./connection.ts');
    const connection = await openConnection(context, to);
    connections.push(connection);
    host.onConnected?.();
    return connection.api;
  }
  const usual = once(() => connect());

  const whereAndHowLong = () => [
    ...connections.slice(-1).map(({ name }) => name),
    duration(Math.round(clock.now() - startedAt - ask.waitedMs())),
  ];
  const context: Context = {
    ...options,
    settings,
    api(to) {
      if (to !== undefined) return connect(to);
      out.say({ kind: 'progress', text: 'Waiting for the service' });
      return usual();
    },
    vals: {
      settings,
      seen,
      valList: createValList(() => context.api(), seen),
      connect: () => context.api(),
    },
    out: {
      ...out,
      say: (event) => out.say(event.kind === 'done' ? { ...event, details: whereAndHowLong() } : event),
    },
    ask,
  };
  return context;
}

export function createConnections(openLocal: OpenLocal = noLocalService): OpenConnections {
  const closing = new AbortController();
  const open = new Map<string, Promise<OpenDispatcher>>();
  let local: ReturnType<OpenLocal> | undefined;

  async function connect(origin: string, proxy: ProxyServer | undefined): Promise<OpenDispatcher> {
    const { setMaxListeners } = process.getBuiltinModule('node:events');
    // Each connection adds a listener. Node would print a warning for more than ten.
    setMaxListeners(0, closing.signal);
    const { openDispatcher } = await import('../http/request/dispatcher.ts');
    return openDispatcher({ origin, proxy, signal: closing.signal });
  }

  return {
    local(settings) {
      local ??= openLocal(settings).catch((error) => {
        local = undefined;
        throw error;
      });
      return local;
    },
    to({ origin }, proxy) {
      const known = open.get(origin) ?? connect(origin, proxy);
      open.set(origin, known);
      return known;
    },
    async close() {
      closing.abort();
      await (await local?.catch(() => undefined))?.close();
    },
  };
}

async function noLocalService(): Promise<never> {
  throw new UsageError('This program has no embedded service.', {
    hint: 'Give the address of a service with --base-url.',
  });
}
