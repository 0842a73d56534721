export const connectTimeoutMs = 5_000;

/** What went wrong with a connection, and on whose side. */
export type Trouble =
  /** `reason` is what Node says, without the name of the host. */
  | { kind: 'tls'; at: Peer; problem: TlsProblem; reason: string }
  /** `code` is a code of the system or of undici. */
  | { kind: 'error'; at: Peer; code: string; message: string }
  | { kind: 'proxy refused'; status: number }
  | { kind: 'no reply'; afterMs: number };

export type Peer = 'service' | 'proxy';

export type TlsProblem = 'not trusted' | 'not valid' | 'expects http' | 'expects https' | 'failed';
