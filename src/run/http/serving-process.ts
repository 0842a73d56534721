import { Agent } from 'node:http';
import { RunFailedError, ValsError } from '../../core/errors.ts';
import { thrownFailure, tookTooLong } from '../failed-run.ts';
import { FetchFailedError } from '../modules/modules.ts';
import type { ProcessOptions } from '../process/process.ts';
import { type Supervised, type SuperviseOptions, supervise } from '../process/supervise.ts';

export interface ServingOptions {
  /** The val, as messages show it. */
  name: string;
  clock: ProcessOptions['clock'];
  /** Until the val has started, and then until the answer to a request begins. */
  maxSeconds: number;
  /** Reads the code and the environment of now. */
  prepare(): Promise<ProcessOptions>;
  /** The val could not be started, failed on a request, or ended by itself. */
  onFailure(failure: ValsError): void;
}

/** Where a process of the val listens. Only requests with the secret are answered there. */
export interface Address {
  port: number;
  secret: string;
  agent: Agent;
}

/** A process that answers requests with the code that the val had at its start. */
export interface Serving {
  /** Throws a ValsError if the val cannot be started. */
  address(): Promise<Address>;
  /** Counts a request until the returned function is called. */
  begin(): () => void;
  /** Ends the process when its requests are over. */
  retire(): void;
  end(signal: NodeJS.Signals): Promise<unknown>;
  /** Answers for a request that took too long, and ends the process, which may compute without end. */
  giveUp(): ValsError;
  /** The connection broke off before an answer. Resolves when the process has ended, with the reason. */
  lost(): Promise<ValsError>;
  isUsable(): boolean;
  /** Why the process has ended. */
  ended: Promise<ValsError>;
}

const mostMsToEnd = 1_000;

export function startServing({ name, clock, maxSeconds, prepare, onFailure }: ServingOptions): Serving {
  const agent = new Agent({ keepAlive: true });
  let val: Supervised | undefined;
  let isReady = false;
  let open = 0;
  let isRetired = false;
  let hasEnded = false;
  /** A module that could not be fetched is tried again at the next request. */
  let lacksModule = false;
  /** Counts before the process is there. */
  let earlyReason: ValsError | undefined;
  let onReady: (address: Address) => void = () => {};
  const ready = new Promise<Address>((resolve) => {
    onReady = resolve;
  });

  const ended = run().then((failure) => {
    hasEnded = true;
    agent.destroy();
    if (!isRetired) onFailure(failure);
    return failure;
  });

  async function run(): Promise<ValsError> {
    try {
      const options = await prepare();
      if (earlyReason !== undefined) return earlyReason;
      val = supervise({ ...options, onEvent: noteEventsOf(options), onLog() {} });
      const cancel = val.limitTo(maxSeconds);
      void ready.then(cancel);
      const reason = await val.ended;
      cancel();
      return valsErrorOnly(reason);
    } catch (error) {
      return valsErrorOnly(error);
    }
  }

  const noteEventsOf =
    ({ modules, platform }: ProcessOptions): SuperviseOptions['onEvent'] =>
    (event) => {
      if (event.kind === 'threw') {
        const failure = thrownFailure(event.thrown, modules, { isServing: true, platform });
        lacksModule ||= failure instanceof FetchFailedError;
        onFailure(failure);
      }
      if (event.kind === 'idle') endBecause(new RunFailedError(`${name} was changed.`));
      if (event.kind !== 'ready') return;
      isReady = true;
      onReady({ port: event.port, secret: event.secret, agent });
    };

  function endBecause(why: ValsError, signal?: NodeJS.Signals): void {
    if (val === undefined) earlyReason ??= why;
    else val.endBecause(why, signal);
  }

  /** The val may still work for requests that are answered (`waitUntil`), so its process says when it is done. */
  function retireIfUnused(): void {
    if (!isRetired || open > 0 || hasEnded) return;
    if (isReady) val?.retire();
    else endBecause(new RunFailedError(`${name} was changed.`));
  }

  return {
    address: () =>
      Promise.race([
        ready,
        ended.then((failure) => {
          throw failure;
        }),
      ]),
    begin() {
      open += 1;
      return () => {
        open -= 1;
        retireIfUnused();
      };
    },
    retire() {
      isRetired = true;
      retireIfUnused();
    },
    end(signal) {
      isRetired = true;
      endBecause(new RunFailedError(`${name} was interrupted.`), signal);
      return ended;
    },
    giveUp() {
      const failure = tookTooLong(name, maxSeconds);
      endBecause(failure);
      return failure;
    },
    lost() {
      const silent = new RunFailedError(`${name} closed the connection without an answer.`);
      const cancel = clock.after(mostMsToEnd, () => endBecause(silent));
      void ended.then(cancel);
      return ended;
    },
    isUsable: () => !hasEnded && !lacksModule && earlyReason === undefined && !val?.hasReason(),
    ended,
  };
}

function valsErrorOnly(reason: unknown): ValsError {
  if (reason instanceof ValsError) return reason;
  throw reason;
}
