import type { JsonValue } from '../lib/json.ts';
import type { Turn } from '../lib/slots.ts';

type Remembered =
  | { kind: 'caller' }
  | { kind: 'val'; isMine: boolean }
  | { kind: 'vals'; owner?: string }
  | { kind: 'deletion' };

export interface Call {
  method: string;
  path: string;
  query?: URLSearchParams;
  body?: JsonValue;
  val?: string;
  remember?: Remembered;
  text?: string;
  mayRequirePaging?: boolean;
  isRaw?: boolean;
  tokenIsOptional?: boolean;
  ifUnknown?: string;
  meanings?: Record<number, string>;
  hints?: Record<number, string>;
  /** Begins before a large answer is received. If the caller keeps the answer for long, the caller ends the turn. */
  turn?: Turn | undefined;
}
