import type { Api } from '../api/api.ts';
import type { Page } from '../lib/json.ts';
import { warnWith } from '../lib/say.ts';
import { visible } from '../lib/visible.ts';
import { createSeenVals } from '../names/seen-vals.ts';
import type { Log } from '../terminal/log.ts';
import { createPrompt } from '../terminal/prompt.ts';
import { widthOf } from '../terminal/streams.ts';
import { duration } from '../terminal/times.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import type { ConnectOptions, Context } from './context.ts';
import { createGivenVals } from './given-vals.ts';
import type { Invocation } from './invocation.ts';

export function createContext(invocation: Invocation): { context: Context; close(): Promise<void> } {
  const { flags, settings, env, stdin, signal, clock, node, agent } = invocation;
  const { presenter, redactor, stdout, stderr } = invocation;
  const startedAt = clock.now();
  const seen = createSeenVals(settings, (text) => redactor.redact(text) !== text);
  const connections = createConnections({ ...invocation, seen });
  const prompt = createPrompt(stdin, stderr, {
    signal,
    clock,
    width: widthOf(stderr, env),
    flushMessages: presenter.flush,
    redact: redactor.redact,
  });
  const whereAndHowLong = () => [
    ...connections.names().slice(-1),
    duration(Math.round(clock.now() - startedAt - prompt.waitedMs())),
  ];

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
    forPerson: presenter.forPerson,
    givenVals: createGivenVals(invocation.typedWords, () => context.connect()),
    redact: redactor.redact,
    prompt,
    say: (event) => presenter.say(event.kind === 'done' ? { ...event, details: whereAndHowLong() } : event),
    openLog: () => openLog(invocation),
    print: (line) => new Promise((resolve) => stdout.write(`${line}\n`, () => resolve())),
    event: (record, columns) => presenter.result({ kind: 'event', record, columns }),
    connect: connections.connect,
    invocation,
  };
  return {
    context,
    async close() {
      connections.close();
      await seen.save();
    },
  };
}

interface Connections {
  connect(options?: ConnectOptions): Promise<Api>;
  /** Of the services, in the order in which they were connected. */
  names(): string[];
  close(): void;
}

/** The connections of one command. Those without options are one and the same. */
function createConnections(shared: Invocation & Pick<Context, 'seen'>): Connections {
  const { presenter, settings, typedWords, onConnected } = shared;
  const open: Connection[] = [];
  let usual: Promise<Api> | undefined;
  const warn = warnWith(presenter.say);
  const note = (text: string) => presenter.say({ kind: 'note', text });
  const notes: ConnectionOptions['notes'] = {
    serviceIsAway: ({ message }) => warn(`${message} The command keeps trying until the service answers.`),
    storeUpgraded: note,
    serviceIsBack: () => note('The service answers again.'),
    tooManyRecords: () =>
      warn('The service sent more records than the command reads at once, so the older ones are missing.'),
  };
  const trace = (text: string) => presenter.say({ kind: 'trace', text });

  async function connect(options?: ConnectOptions): Promise<Api> {
    const { openConnection } = await import('./connection.ts');
    const connection = await openConnection({
      ...shared,
      ...options,
      trace: settings.debug.value ? trace : undefined,
      wordFor: (id) => typedWords.get(id),
      notes,
    });
    open.push(connection);
    onConnected?.();
    return warningIfStuck(connection.api, warn);
  }

  return {
    connect(options) {
      presenter.say({ kind: 'progress', text: 'Waiting for the service' });
      if (options !== undefined) return connect(options);
      usual ??= connect();
      return usual;
    },
    names: () => open.map(({ name }) => name),
    close() {
      for (const connection of open) connection.close();
    },
  };
}

async function openLog({ stderr, flags: { quiet }, redactor: { redact } }: Invocation): Promise<Log> {
  const { createLog } = await import('../terminal/log.ts');
  const log = createLog(stderr);
  const always = (line: string) => log.write(`${visible(redact(line))}\n`);
  return { write: quiet ? () => {} : always, always, close: log.close };
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
