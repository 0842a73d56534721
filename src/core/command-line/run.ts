import { asValsError, type ValsError } from '../errors.ts';
import { createDirectory } from '../find-val/directory.ts';
import { createSeenVals } from '../find-val/seen-vals.ts';
import type { Api } from '../http/api.ts';
import { type Out, warnWith } from '../output/out.ts';
import { changedSomething, countOutcomes } from '../output/outcome.ts';
import { createPrompt } from '../output/prompt.ts';
import { errorIn, outcomesIn } from '../output/result.ts';
import { ReaderGone, widthOf } from '../output/streams.ts';
import { duration } from '../output/times.ts';
import { createSettings, type Flags } from '../settings/settings.ts';
import type { ConnectOptions, LoadedCommand, Program, Run } from './command.ts';
import type { Connection } from './connection.ts';
import { readWordsFromInput, resolveVals } from './resolve-vals.ts';

export interface CommandCall {
  command: LoadedCommand;
  input: Record<string, unknown>;
}

export interface RunOptions {
  host: Program;
  flags: Flags;
  out: Out;
}

/** Runs a command and shows its result. Returns the error that decides the exit code. */
export const runCommand = (
  { command, input }: CommandCall,
  options: RunOptions,
): Promise<ValsError | undefined> =>
  catchError(async () => {
    const { run, close } = createRun(options);
    const { out } = run;
    try {
      const words = await readWordsFromInput(command, input, run);
      const result = await command.run(run, await resolve(command, words, run));
      const error = errorIn(result);
      const rows = outcomesIn(result);
      if (error === undefined && changedSomething(rows))
        out.say({ kind: 'done', text: `${countOutcomes(rows)}.` });
      const shown = out.show(result);
      await (error === undefined ? shown : shown.catch(ignoreReaderGone));
      if (error !== undefined) throw error;
    } finally {
      out.say({ kind: 'progress' });
      await close();
    }
  });

/** Of several vals, all are found before the first one is deleted. */
async function resolve(
  command: LoadedCommand,
  words: Record<string, unknown>,
  run: Run,
): ReturnType<typeof resolveVals> {
  try {
    return await resolveVals(command, words, run);
  } catch (error) {
    const givesSeveral = Object.values(words).some((value) => Array.isArray(value) && value.length > 1);
    if (command.effect === 'deletes' && givesSeveral)
      run.out.say({ kind: 'note', text: 'Nothing was deleted.' });
    throw error;
  }
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

function createRun({ host, flags, out }: RunOptions): { run: Run; close(): Promise<void> } {
  const { env, stdin, stderr, signal, clock } = host;
  const { redact, flush } = out;
  const startedAt = clock.now();
  const settings = createSettings(flags, host, warnWith(out.say));
  const seen = createSeenVals(settings, (text) => redact(text) !== text);
  const ask = createPrompt(stdin, stderr, {
    signal,
    clock,
    width: widthOf(stderr, env),
    flushMessages: flush,
    redact,
  });
  const typedWords = new Map<string, string>();
  const connections: Connection[] = [];
  let usual: Promise<Api> | undefined;

  async function connect(options?: ConnectOptions): Promise<Api> {
    const { openConnection } = await import('./connection.ts');
    const connection = await openConnection(run, options);
    connections.push(connection);
    host.onConnected?.();
    return connection.api;
  }

  const whereAndHowLong = () => [
    ...connections.slice(-1).map(({ name }) => name),
    duration(Math.round(clock.now() - startedAt - ask.waitedMs())),
  ];
  const run: Run = {
    host,
    flags,
    settings,
    /** The connections without options are one and the same. */
    api(options) {
      out.say({ kind: 'progress', text: 'Waiting for the service' });
      if (options !== undefined) return connect(options);
      usual ??= connect();
      return usual;
    },
    vals: {
      seen,
      directory: createDirectory(() => run.api(), seen),
      wordFor: (id) => typedWords.get(id) ?? id,
      rememberWord: ({ id, word }) => void typedWords.set(id, word),
    },
    out: {
      ...out,
      say: (event) => out.say(event.kind === 'done' ? { ...event, details: whereAndHowLong() } : event),
    },
    ask,
  };
  return {
    run,
    async close() {
      for (const connection of connections) connection.close();
      seen.save();
    },
  };
}
