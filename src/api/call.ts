import type { JsonValue } from '../lib/json.ts';

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
}
