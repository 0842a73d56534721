import { Agent, request } from 'node:http';
import { RunFailedError, ValsError } from '../core/errors.ts';
import { endingFailure, thrownFailure, tookTooLong } from './failed-run.ts';
import type { Modules } from './modules.ts';
import { type ProcessOptions, startProcess, type ValProcess } from './process.ts';
import { secretHeader, type Thrown, type ValEvent } from './protocol.ts';

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
  let child: ValProcess | undefined;
  let address: Address | undefined;
  let open = 0;
  let isRetired = false;
  let hasEnded = false;
  /** Why vals ends the process, or what the val threw. */
  let reason: ValsError | undefined;
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
      if (reason !== undefined) return reason;
      const onEvent = (event: ValEvent) => note(event, options.modules);
      child = startProcess(options, { onEvent, onLog() {} });
      const cancel = clock.after(maxSeconds * 1_000, giveUp);
      void ready.then(cancel);
      const ending = await child.ended;
      cancel();
      return reason ?? endingFailure(name, ending);
    } catch (error) {
      if (error instanceof ValsError) return error;
      throw error;
    }
  }

  function note(event: ValEvent, modules: Modules): void {
    const explain = (thrown: Thrown) => thrownFailure(thrown, modules, { isServing: true });
    if (event.kind === 'failed') reason ??= explain(event.thrown);
    if (event.kind === 'threw') onFailure(explain(event.thrown));
    if (event.kind !== 'ready') return;
    address = { port: event.port, secret: event.secret, agent };
    onReady(address);
  }

  function endBecause(why: ValsError, signal: NodeJS.Signals = 'SIGTERM'): ValsError {
    reason ??= why;
    child?.end(signal);
    return reason;
  }

  const giveUp = () => endBecause(tookTooLong(name, maxSeconds));

  /** The val may still work for requests that are answered (`waitUntil`), so its process says when it is done. */
  async function endWhenIdle(): Promise<void> {
    if (open > 0 || hasEnded) return;
    if (address !== undefined) await untilIdle(address);
    endBecause(new RunFailedError(`${name} was changed.`));
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
        if (isRetired) void endWhenIdle();
      };
    },
    retire() {
      isRetired = true;
      void endWhenIdle();
    },
    end(signal) {
      isRetired = true;
      endBecause(new RunFailedError(`${name} was interrupted.`), signal);
      return ended;
    },
    giveUp,
    lost() {
      const silent = new RunFailedError(`${name} closed the connection without an answer.`);
      const cancel = clock.after(mostMsToEnd, () => endBecause(silent));
      void ended.then(cancel);
      return ended;
    },
    isUsable: () => !hasEnded && reason === undefined,
    ended,
  };
}

function untilIdle({ port, secret, agent }: Address): Promise<void> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, agent, headers: { [secretHeader]: `${secret} idle` } });
    asked.on('error', () => resolve()).on('response', () => resolve());
    asked.end();
  });
}
