// The three ways to run a val: once, again on each save, and for requests.

import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError, RunFailedError, UsageError, ValsError } from '../../errors.ts';
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from '../../lib/json.ts';
import { isOnPath } from '../../lib/on-path.ts';
import { aborted } from '../../lib/signals.ts';
import type { KnownVersion } from '../../run/known-version.ts';
import type { FinishedRun } from '../../run/report.ts';
import { startRun } from '../../run/run.ts';
import { commandFor, environmentOf } from '../../run/seat-belt.ts';
import type { Entry } from '../../run/sources.ts';
import { findTarget, type Target, type Wanted } from '../../run/target.ts';
import type { JsonResult, PiecesResult } from '../../terminal/result.ts';
import { withoutWords } from '../shared/without-words.ts';

export interface GivenRun extends Wanted {
  args: string[];
  maxSeconds: number;
  allowAll?: boolean;
  report?: boolean;
  port?: number;
}

type Shown = JsonResult | PiecesResult;

export async function* runOnce(context: Context, given: GivenRun): AsyncGenerator<Shown> {
  const target = await findTarget(context, given);
  yield* run({ context, given, target, report: createReporter(context, given, target) }, context.signal);
}

/** A save ends the run that is under way: what it would say is of yesterday. */
const saved = Symbol('saved');

export async function* runOnSave(context: Context, given: GivenRun): AsyncGenerator<Shown> {
  const target = await findTarget(context, given);
  if (target.path === undefined) {
    throw new UsageError('--watch is for a file, and this val is run with the code of the service.', {
      hint: 'Name its file: in a workspace, `vals pull` brings it here.',
    });
  }
  const { watchFiles } = await import('../../run/changes.ts');
  const surroundings = { context, given, target, report: createReporter(context, given, target) };
  let round = new AbortController();
  const changes = watchFiles([target.path], context.clock, () => round.abort(saved));
  const end = () => round.abort(context.signal.reason);
  context.signal.addEventListener('abort', end);
  if (context.signal.aborted) end();
  context.say.banner(`Watching ${given.val} and what it imports. Ctrl-C ends it.\n`);
  try {
    for (;;) {
      try {
        yield* run(surroundings, round.signal, changes.follow);
      } catch (error) {
        if (error instanceof RunFailedError || error instanceof LocalError) context.say.warn(said(error));
        else if (error !== saved) throw withoutWords(error);
      }
      await aborted(round.signal);
      if (context.signal.aborted) throw withoutWords(context.signal.reason);
      round = new AbortController();
    }
  } finally {
    changes.close();
  }
}

interface Surroundings {
  context: Context;
  given: GivenRun;
  target: Target;
  report: ReportRun;
}

async function* run(
  { context, given, target, report }: Surroundings,
  signal: AbortSignal,
  onFile: (path: string) => void = () => {},
): AsyncGenerator<Shown> {
  const { clock, flags, progress } = context;
  const asRecord = Boolean(flags.json || flags.ndjson || flags.fields);
  const entry = await target.load();
  progress.stop();
  const startedAt = clock.now();
  const started = startRun({
    ...processOptions(context, given, target),
    entry,
    args: given.args,
    signal,
    onFile,
  });
  let failure: RunFailedError | undefined;
  const note = (error: unknown) => {
    if (!(error instanceof RunFailedError)) throw error;
    failure = error;
  };
  let value: JsonValue = null;
  try {
    const kind = await started.kind;
    const pieces = started.pieces();
    if (kind === 'text' && !asRecord) {
      yield { kind: 'pieces', pieces: untilFailure(pieces, note) };
    } else {
      const text = await collect(given.val, pieces);
      if (kind === 'text') value = text;
      if (kind === 'json') value = parseValue(given.val, text);
      if (kind === 'json' && !asRecord) yield { kind: 'json', value };
    }
  } catch (error) {
    note(error);
  }
  const finished = finishedRun(startedAt, clock.now(), failure);
  const reported = await report(entry, finished);
  if (failure !== undefined) {
    if (!flags.json && !flags.ndjson) for (const line of failure.details) context.say.annotate(line);
    throw failure;
  }
  if (asRecord) yield { kind: 'json', value: { value, run: { ...finished, ...reported } } };
}

async function* untilFailure(pieces: AsyncGenerator<Buffer>, onFailure: (error: unknown) => void) {
  try {
    yield* pieces;
  } catch (error) {
    onFailure(error);
  }
}

/** What is not passed on in pieces is held in memory. */
const largestValue = 64 * 1_048_576;

async function collect(name: string, pieces: AsyncGenerator<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > largestValue) {
      throw new RunFailedError(`${name} returned more than 64 MiB.`, {
        hint: 'A text or a Response may be of any length, without --json.',
      });
    }
    all.push(piece);
  }
  return Buffer.concat(all).toString();
}

function parseValue(name: string, text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new RunFailedError(`${name} returned JSON that is ${(error as Error).message}.`, { cause: error });
  }
}

function finishedRun(startedAt: number, endedAt: number, failure: RunFailedError | undefined): FinishedRun {
  const { message, facts: { body } = {} } = failure ?? {};
  return {
    runStartAt: new Date(startedAt).toISOString(),
    runEndAt: new Date(endedAt).toISOString(),
    error: typeof body === 'string' ? body : (message ?? null),
  };
}

const said = ({ message, facts }: ValsError): string => [message, facts.hint ?? ''].join(' ').trim();

/** What the process is started with. */
function processOptions(context: Context, given: GivenRun, { folder, packagesFrom }: Target) {
  const { maxSeconds, runtime, allowAll = false } = given;
  const program = `${__dirname}/run/child.cjs`;
  const reach = allowAll ? 'all' : { folder, packagesFrom, kept: keptFolders(context) };
  const env = environmentOf(context.env, allowAll);
  if (runtime === 'deno' && !isOnPath('deno', env)) {
    throw new LocalError('Deno is not installed: there is no `deno` on the PATH.', {
      hint: 'Install it from https://deno.com, or leave --runtime out.',
    });
  }
  const { cwd } = context.settings;
  return { ...commandFor(runtime, program, reach), program, maxSeconds, env, cwd, clock: context.clock };
}

/** Where there is no home, there is nothing to be kept either. */
const keptFolders = ({ settings }: Context): string[] =>
  [settings.configDirectory, settings.dataDirectory].flatMap((folder) => folder?.value ?? []);

/** How long a request may keep a person waiting whose run is over. */
const reportingMs = 5_000;

type ReportRun = (entry: Entry, run: FinishedRun) => Promise<JsonObject | undefined>;

/** Tells the service of runs of code that it has; never fails. */
function createReporter(context: Context, { report }: GivenRun, { path, known, api }: Target): ReportRun {
  if (report === false) return async () => undefined;
  const { settings, say } = context;
  let connection: Promise<Api> | undefined = api && Promise.resolve(api);
  const connect = () => {
    connection ??= context.connect({ mostMs: reportingMs });
    return connection;
  };

  async function find(entry: Entry): Promise<KnownVersion | undefined> {
    if (path === undefined) return known;
    if (!settings.local.value && settings.baseUrl === undefined) return undefined;
    const { idInWorkspace, versionWithCode } = await import('../../run/report.ts');
    const id = idInWorkspace(path, settings) ?? (await idOfName(path));
    return id === undefined ? undefined : versionWithCode(await connect(), id, entry.code);
  }

  /** The file may have nothing to do with the service, so nothing is said where that cannot be found out. */
  async function idOfName(file: string): Promise<string | undefined> {
    try {
      const { idByName } = await import('../../run/report.ts');
      return await idByName(await connect(), file);
    } catch {
      return undefined;
    }
  }

  return async (entry, run) => {
    try {
      const version = await find(entry);
      if (version === undefined) return undefined;
      const { sendRun } = await import('../../run/report.ts');
      return await sendRun(await connect(), version, run);
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      if (!context.signal.aborted) say.warn(`The run was not reported: ${error.message}`);
      return undefined;
    }
  };
}

export async function serveRequests(context: Context, given: GivenRun): Promise<undefined> {
  const { signal, clock, flags, progress, say } = context;
  const { serveVal } = await import('../../run/serve.ts');
  const { watchFiles } = await import('../../run/changes.ts');
  const target = await findTarget(context, given);
  const entry = await target.load();
  progress.stop();
  const log = await context.openLog();
  const report = createReporter(context, given, target);
  const reload = async () => {
    try {
      served.use(await target.load());
    } catch (error) {
      if (!(error instanceof ValsError)) throw error;
      say.warn(said(error));
    }
  };
  const changes = watchFiles(target.path === undefined ? [] : [target.path], clock, () => void reload());
  const served = await serveVal(entry, {
    ...processOptions(context, given, target),
    port: given.port ?? 0,
    onFailure: (failure) => say.warn(said(failure)),
    onFile: changes.follow,
    onAnswered({ method, path, status, startedAt, endedAt, failure, entry }) {
      log.write(`${method} ${path} ${status} ${endedAt - startedAt} ms`);
      for (const line of failure === undefined ? [] : [failure.message, ...failure.details]) log.write(line);
      void report(entry, finishedRun(startedAt, endedAt, failure));
    },
  }).catch(async (error) => {
    changes.close();
    throw error;
  });
  try {
    await context.print(flags.json || flags.ndjson ? stringifyJson({ url: served.url }) : served.url);
    context.say.banner('Ctrl-C ends it.\n');
    await aborted(signal);
  } finally {
    // The val's process first: what is interrupted has little time.
    await served.close();
    changes.close();
    log.close();
  }
  throw withoutWords(signal.reason);
}
