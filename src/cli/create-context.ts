import { withHintTexts } from '../errors.ts';
import { visible } from '../lib/visible.ts';
import { createSeenVals } from '../names/seen-vals.ts';
import { createSettings, type Flags } from '../settings/settings.ts';
import type { Output } from '../terminal/output.ts';
import { createPrompt } from '../terminal/prompt.ts';
import { renderEvent } from '../terminal/render.ts';
import { duration } from '../terminal/times.ts';
import type { Connection } from './connection.ts';
import type { ConnectOptions, Context, Permissions } from './context.ts';
import { createGivenVals } from './given-vals.ts';
import type { Host } from './host.ts';
import { createServices, type Services } from './services.ts';

export function createContext(
  host: Host,
  flags: Flags,
  output: Output,
  serveAgents: (context: Context, permissions: Permissions) => Promise<void>,
): { context: Context; services: Services; close(): Promise<void> } {
  const { env, stdin, signal, clock, node, agent } = host;
  const { stderr, redactor, progress, messages, format, hints } = output;
  const settings = createSettings(flags, host, messages.warn);
  const startedAt = clock.now();
  const connections: Connection[] = [];
  const services = host.services ?? createServices();
  let shared: Promise<Connection> | undefined;
  const seen = createSeenVals(settings, (text) => redactor.redact(text) !== text);
  const prompt = createPrompt(stdin, host.stderr, {
    signal,
    clock,
    width: stderr.width,
    flushMessages: messages.flush,
    redact: redactor.redact,
  });

  async function open(options?: ConnectOptions): Promise<Connection> {
    const { openConnection } = await import('./connection.ts');
    const connection = await openConnection({
      signal,
      ...options,
      services,
      settings,
      seen,
      clock,
      trace: settings.debug.value ? messages.trace : undefined,
      redactor,
      wordFor: hints.wordFor,
      notes: {
        circular: () =>
          messages.warn('The list of the service goes on without new records, so it may be incomplete.'),
        more: messages.more,
        serviceIsAway: ({ message }) =>
          messages.warn(`${message} The command keeps trying until the service answers.`),
        serviceIsBack: () => messages.note('The service answers again.'),
        tooManyRecords: () =>
          messages.warn(
            'The service sent more records than the command reads at once, so the older ones are missing.',
          ),
      },
    });
    connections.push(connection);
    host.onConnected?.();
    return connection;
  }

  const context: Context = {
    flags,
    settings,
    seen,
    env,
    stdin,
    signal,
    clock,
    node,
    agent,
    serveAgents: (permissions) => serveAgents(context, permissions),
    forPerson: format.forPerson,
    givenVals: createGivenVals(hints, () => context.connect()),
    redact: redactor.redact,
    prompt,
    progress,
    say: {
      ...messages,
      done: (sentence) =>
        messages.done(sentence, [
          ...connections.slice(-1).map(({ name }) => name),
          duration(Math.round(clock.now() - startedAt - prompt.waitedMs())),
        ]),
    },
    async openLog() {
      const { createLog } = await import('../terminal/log.ts');
      const log = createLog(host.stderr);
      return {
        write(line) {
          if (!flags.quiet) log.write(`${visible(redactor.redact(line))}\n`);
        },
        close: log.close,
      };
    },
    print: (line) => new Promise((resolve) => host.stdout.write(`${line}\n`, () => resolve())),
    event: async (record, columns) =>
      renderEvent((await withHintTexts([record], hints.write))[0] ?? record, {
        output,
        columns,
        now: clock.now(),
        given: new Set(),
        empty: undefined,
      }),
    async connect(options) {
      progress.show('Waiting for the service');
      if (options !== undefined) return (await open(options)).api;
      shared ??= open();
      return (await shared).api;
    },
  };
  return {
    context,
    services,
    async close() {
      for (const connection of connections) connection.close();
      if (services !== host.services) await services.close();
      await seen.save();
    },
  };
}
