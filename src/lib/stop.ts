// Tells whoever waits that nobody wants it any more: what an AbortController does with its signal, without the 2 ms that
// Node takes at each start to set one up and to fire it.

/** An AbortSignal is one too. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export class Stop implements StopSignal {
  aborted = false;
  reason: unknown;
  private readonly listeners: (() => void)[] = [];

  /** Stops with the other one too. */
  constructor(other?: StopSignal) {
    other?.addEventListener('abort', () => this.abort(other.reason));
    if (other?.aborted) this.abort(other.reason);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.listeners.splice(0)) listener();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.listeners.indexOf(listener);
    if (at !== -1) this.listeners.splice(at, 1);
  }
}
