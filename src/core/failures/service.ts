import { type Hints, sh } from '../lib/hint.ts';
import type { BaseUrl } from '../settings/base-url.ts';
import type { ProxyAddress } from '../settings/proxy.ts';

/** What the sentences need to know about the service and the user. */
export interface Service {
  base: BaseUrl;
  /** Undefined if no request went to a proxy. */
  proxy(): ProxyAddress | undefined;
  signal: AbortSignal;
  hasToken: boolean;
  /** Built only if it is shown, because it reads settings that may be wrong. */
  signInHint(): Hints;
  redact(text: string): string;
}

export interface Message {
  sentence: string;
  hint: Hints;
  /** The sentence without the name of the val. */
  ofMany?: string;
}

export const notThisService: Hints = [
  'Check that the base URL belongs to a val service.',
  sh`To see the base URL, run ${['config']}.`,
];
