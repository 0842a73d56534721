import { createSeenVals } from '../find-val/seen-vals.ts';
import type { Api } from '../http/api.ts';
import { createPrompt } from '../output/prompt.ts';
import { widthOf } from '../output/streams.ts';
import { duration } from '../output/times.ts';
import type { Connection } from './connection.ts';
import type { ConnectOptions, Context } from './context.ts';
import { createGivenVals } from './given-vals.ts';
import type { Invocation } from './invocation.ts';

export function createContext(invocation: Invocation): { context: Context; close(): Promise<void> } {
  const { flags, settings, env, stdin, signal, clock, node, agent, services } = invocation;
  const { presenter, redactor, stdout, stderr } = invocation;
  const { redact } = redactor;
  const startedAt = clock.now();
  const seen = createSeenVals(settings, (text) => redact(text) !== text);
  const connections = createConnections({ ...invocation, seen });
  const prompt = createPrompt(stdin, stderr, {
    signal,
    clock,
    width: widthOf(stderr, env),
    flushMessages: presenter.flush,
    redact,
  });
  const whereAndHowLong = () => [
    ...connections.names().slice(-1),
    duration(Math.round(clock.now() - startedAt - prompt.waitedMs())),
  ];

  const context: Context = {
    invocation,
    flags,
    settings,
    env,
    stdin,
    signal,
    clock,
    node,
    agent,
    services,
    seen,
    forPerson: presenter.forPerson,
    givenVals: createGivenVals(invocation.typedWords, () => context.connect()),
    redact,
    prompt,
    say: (event) => presenter.say(event.kind === 'done' ? { ...event, details: whereAndHowLong() } : event),
    async openLog() {
      const { createLog } = await import('../output/log.ts');
      return createLog(stderr, { quiet: flags.quiet, redact });
    },
    print: (line) => new Promise((resolve) => stdout.write(`${line}\n`, () => resolve())),
    event: (record, columns) => presenter.result({ kind: 'event', record, columns }),
    connect: connections.connect,
  };
  return {
    context,
    async close() {
      connections.close();
      await seen.save();
    },
  };
}

/** The connections of one command. Those without options are one and the same. */
function createConnections(shared: Invocation & Pick<Context, 'seen'>) {
  const open: Connection[] = [];
  let usual: Promise<Api> | undefined;

  async function openOne(options?: ConnectOptions): Promise<Api> {
    const { openConnection } = await import('./connection.ts');
    const connection = await openConnection(shared, options);
    open.push(connection);
    shared.onConnected?.();
    return connection.api;
  }

  return {
    connect(options?: ConnectOptions): Promise<Api> {
      shared.presenter.say({ kind: 'progress', text: 'Waiting for the service' });
      if (options !== undefined) return openOne(options);
      usual ??= openOne();
      return usual;
    },
    /** Of the services, in the order in which they were connected. */
    names: () => open.map(({ name }) => name),
    close() {
      for (const connection of open) connection.close();
    },
  };
}
