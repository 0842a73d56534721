import type { Hints } from '../lib/hint.ts';
import type { JsonValue } from '../lib/json.ts';

type Remembered =
  | { kind: 'me' }
  | { kind: 'val'; isMine: boolean }
  | { kind: 'vals'; owner?: string }
  | { kind: 'deletion' };

export interface Call {
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: JsonValue;
  /** The ETag of the val as it was read. The service makes the change only if the val still has this ETag. */
  ifMatch?: string | undefined;
  /** With `*`, the service makes the change only if there is no val of that name yet. */
  ifNoneMatch?: '*' | undefined;
  val?: string;
  remember?: Remembered;
  text?: string;
  mayRequirePaging?: boolean;
  isRaw?: boolean;
  tokenIsOptional?: boolean;
  ifUnknown?: Hints;
  /** What a status means to the user. `wordFor` returns what the user typed for a val, or its id. */
  meanings?(wordFor: (id: string) => string): Record<number, string>;
  hints?: Record<number, Hints>;
}

export interface Reply {
  status: number;
  body: JsonValue | undefined;
  etag?: string;
}

/** Sends a call and returns the reply. Throws an error if the service did not do what the call asks for. */
export type Request = (call: Call) => Promise<Reply>;
