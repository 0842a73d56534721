// The system that a process runs on.

export interface System {
  platform: NodeJS.Platform;
  /** The user's id; undefined on Windows. */
  uid?: number | undefined;
}
