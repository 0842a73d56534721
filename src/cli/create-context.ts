import type { Api } from '../api/api.ts';
import type { Page } from '../lib/json.ts';
import { warnWith } from '../lib/say.ts';
import { visible } from '../lib/visible.ts';
import { createSeenVals } from '../names/seen-vals.ts';
import { createSettings, type Flags } from '../settings/settings.ts';
import type { Stage } from '../terminal/presenter.ts';
import { createPrompt } from '../terminal/prompt.ts';
import { widthOf } from '../terminal/streams.ts';
import { duration } from '../terminal/times.ts';
import type { Connection } from './connection.ts';
import type { AgentPermissions, ConnectOptions, Context } from './context.ts';
import { createGivenVals } from './given-vals.ts';
import type { Host } from './host.ts';
import { createServices, type Services } from './services.ts';

export function createContext(
  host: Host,
  flags: Flags,
  { presenter, hints, redactor, forPerson, flush }: Stage,
  serveAgents: (context: Context, permissions: AgentPermissions) => Promise<void>,
): { context: Context; services: Services; close(): Promise<void> } {
  const { env, stdin, signal, clock, node, agent } = host;
  const warn = warnWith(presenter.say);
  const settings = createSettings(flags, host, warn);
  const startedAt = clock.now();
  const connections: Connection[] = [];
  const services = host.services ?? createServices();
  let shared: Promise<Connection> | undefined;
  const seen = createSeenVals(settings, (text) => redactor.redact(text) !== text);
  const prompt = createPrompt(stdin, host.stderr, {
    signal,
    clock,
    width: widthOf(host.stderr, env),
    flushMessages: flush,
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
      trace: settings.debug.value ? (text) => presenter.say({ kind: 'trace', text }) : undefined,
      redactor,
      wordFor: hints.wordFor,
      notes: {
        serviceIsAway: ({ message }) =>
          warn(`${message} The command keeps trying until the service answers.`),
        storeUpgraded: (text) => presenter.say({ kind: 'note', text }),
        serviceIsBack: () => presenter.say({ kind: 'note', text: 'The service answers again.' }),
        tooManyRecords: () =>
          warn(
            'The service sent more records than the command reads at once, so the older ones are missing.',
          ),
      },
    });
    connections.push(connection);
    host.onConnected?.();
    return { ...connection, api: warningIfStuck(connection.api, warn) };
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
    forPerson,
    givenVals: createGivenVals(hints, () => context.connect()),
    redact: redactor.redact,
    prompt,
    say: (event) =>
      presenter.say(
        event.kind !== 'done'
          ? event
          : {
              ...event,
              details: [
                ...connections.slice(-1).map(({ name }) => name),
                duration(Math.round(clock.now() - startedAt - prompt.waitedMs())),
              ],
            },
      ),
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
    event: (record, columns) => presenter.result({ kind: 'event', record, columns }),
    async connect(options) {
      presenter.say({ kind: 'progress', text: 'Waiting for the service' });
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

function warningIfStuck(api: Api, warn: (text: string) => void): Api {
  async function* warned(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    for await (const page of pages) {
      yield page;
      if (page.end === 'stuck') {
        warn('The list of the service goes on without new records, so it may be incomplete.');
      }
    }
  }
  return {
    ...api,
    pages: (call, paging) => warned(api.pages(call, paging)),
    follow: (call, last) => warned(api.follow(call, last)),
  };
}
