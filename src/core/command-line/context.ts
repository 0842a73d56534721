import type { SeenVals } from '../find-val/seen-vals.ts';
import type { Api } from '../http/api.ts';
import type { Hints } from '../lib/hint.ts';
import type { OutcomeRow } from '../lib/outcome.ts';
import type { Column } from '../output/column.ts';
import type { Log } from '../output/log.ts';
import type { Presenter } from '../output/presenter.ts';
import type { Prompt } from '../output/prompt.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import type { GivenVals } from './given-vals.ts';
import type { Invocation } from './invocation.ts';

export interface ConnectOptions {
  token?: string;
  baseUrl?: BaseUrl;
  signInHint?: Hints;
  concurrency?: number | 'auto';
  signal?: AbortSignal;
  mostMs?: number;
}

/** What a command gets: what was decided before, and what it does its work with. */
export interface Context
  extends Pick<
    Invocation,
    'flags' | 'settings' | 'env' | 'stdin' | 'signal' | 'clock' | 'node' | 'agent' | 'services'
  > {
  /** `vals mcp` makes the invocations of its tools from it. */
  invocation: Invocation;
  connect(options?: ConnectOptions): Promise<Api>;
  seen: SeenVals;
  givenVals: GivenVals;
  forPerson: boolean;
  /** Removes the token from a text. */
  redact(text: string): string;
  prompt: Prompt;
  say: Presenter['say'];
  openLog(): Promise<Log>;
  print(line: string): Promise<void>;
  event(record: OutcomeRow, columns: readonly Column[]): Promise<void>;
}
