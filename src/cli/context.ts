import type { Api } from '../api/api.ts';
import type { Clock } from '../lib/clock.ts';
import type { Hints } from '../lib/hint.ts';
import type { OutcomeRow } from '../lib/outcome.ts';
import type { NodeProgram } from '../lib/system.ts';
import type { SeenVals } from '../names/seen-vals.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import type { Flags, Settings } from '../settings/settings.ts';
import type { Column } from '../terminal/column.ts';
import type { Log } from '../terminal/log.ts';
import type { Presenter } from '../terminal/presenter.ts';
import type { Prompt } from '../terminal/prompt.ts';
import type { GivenVals } from './given-vals.ts';
import type { Agent, StandardInput } from './host.ts';

export interface ConnectOptions {
  token?: string;
  baseUrl?: BaseUrl;
  signInHint?: Hints;
  concurrency?: number | 'auto';
  signal?: AbortSignal;
  mostMs?: number;
}

/** What a person lets an agent do. */
export interface AgentPermissions {
  readOnly?: boolean | undefined;
  allowDelete?: boolean | undefined;
  allowRun?: boolean | undefined;
}

export interface Context {
  connect(options?: ConnectOptions): Promise<Api>;
  flags: Flags;
  settings: Settings;
  seen: SeenVals;
  env: NodeJS.ProcessEnv;
  stdin: () => StandardInput;
  signal: AbortSignal;
  givenVals: GivenVals;
  clock: Clock;
  node: NodeProgram;
  agent: Agent | undefined;
  serveAgents(permissions: AgentPermissions): Promise<void>;
  forPerson: boolean;
  /** Removes the token from a text. */
  redact(text: string): string;
  prompt: Prompt;
  say: Presenter['say'];
  openLog(): Promise<Log>;
  print(line: string): Promise<void>;
  event(record: OutcomeRow, columns: readonly Column[]): Promise<void>;
}
