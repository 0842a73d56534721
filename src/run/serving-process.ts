import { randomUUID } from 'node:crypto';
import type { ValsError } from '../errors.ts';
import {
  brokePipe,
  endingFailure,
  neverFinished,
  thrownFailure,
  tookTooLong,
  tooManyFailedImports,
} from './failure.ts';
import { type Ending, startProcess } from './process.ts';
import type { Report } from './protocol.ts';
import type { LaunchOptions } from './run.ts';
import { createSources, type Entry } from './sources.ts';

export interface ServingProcess {
  entry: Entry;
  secret: string;
  port: Promise<number>;
  hasStartedTooSlowly(): boolean;
  begin(request: number): void;
  finish(request: number): ValsError | undefined;
  retire(): void;
  isRetired(): boolean;
  end(): void;
  ended: Promise<Ending>;
}

export function startServing(
  entry: Entry,
  options: LaunchOptions,
  onFailure: (failure: ValsError) => void,
): ServingProcess {
  const secret = randomUUID();
  const requests = new Map<number, ValsError | undefined>();
  let isRetired = false;
  let hasFailed = false;
  let hasStartedTooSlowly = false;
  let resolvePort: (port: number) => void = () => {};
  let rejectPort: (failure: ValsError) => void = () => {};
  const port = new Promise<number>((resolve, reject) => {
    resolvePort = resolve;
    rejectPort = reject;
  });
  // Without this handler, Node would report an unhandled rejection if no request waits for the port.
  port.catch(() => {});
  const sources = createSources(entry, options);
  const child = startProcess(options, {
    onReport: (report) => void take(report),
    onBytes() {},
    onInvalidReport: () => fail(brokePipe(entry.name)),
  });
  void sources
    .entry()
    .then((module) => child.send({ start: { entry: module, args: [], serve: { secret } } }));
  const { maxSeconds, clock } = options;
  const cancelLimit = clock.after(maxSeconds * 1_000, () => {
    hasStartedTooSlowly = true;
    fail(tookTooLong(entry.name, maxSeconds));
    sources.stopTranspiling();
  });
  void child.ended.then((ending) => {
    cancelLimit();
    isRetired = true;
    rejectPort(endingFailure(entry.name, ending));
  });

  function fail(failure: ValsError): void {
    hasFailed = true;
    onFailure(failure);
    rejectPort(failure);
    child.end();
  }

  async function take(report: Report): Promise<void> {
    if (hasFailed) return;
    if ('load' in report) {
      const { specifier, from } = report.load;
      const module = await sources.answer(specifier, from);
      if (module !== undefined) return child.send({ module });
      fail(tooManyFailedImports(entry.name));
    } else if ('listening' in report) {
      cancelLimit();
      resolvePort(report.listening);
    } else if ('unfinished' in report) {
      fail(neverFinished(entry.name));
    } else if ('failed' in report) {
      const failure = thrownFailure(entry.name, report.failed, sources);
      if (report.request === undefined) fail(failure);
      else if (requests.has(report.request)) requests.set(report.request, failure);
    }
  }

  const endIfIdle = () => {
    if (isRetired && requests.size === 0) child.end();
  };
  return {
    entry,
    secret,
    port,
    hasStartedTooSlowly: () => hasStartedTooSlowly,
    begin: (request) => void requests.set(request, undefined),
    finish(request) {
      const failure = requests.get(request);
      requests.delete(request);
      endIfIdle();
      return failure;
    },
    retire() {
      isRetired = true;
      endIfIdle();
    },
    isRetired: () => isRetired,
    end() {
      child.end();
      sources.stopTranspiling();
    },
    ended: child.ended,
  };
}
