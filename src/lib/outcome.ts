// What became of one of the things that a command was asked to do.
import type { JsonObject } from './json.ts';

export type OutcomeStatus =
  /** Sent, and new on the service. */
  | 'created'
  /** Sent over what was there. */
  | 'pushed'
  | 'pulled'
  | 'merged'
  | 'deleted'
  /** Both sides are alike. */
  | 'unchanged'
  /** The service has something newer, and the file did not change. */
  | 'behind'
  /** The file has something newer, and was left as it is. */
  | 'kept'
  /** Taken out of the workspace. */
  | 'forgotten'
  /** It was not begun. */
  | 'skipped'
  | 'failed'
  /** What `--dry-run` would have done. */
  | 'planned';

/** Its keys are what JSON shows; those without a value are left out. */
export type Outcome = JsonObject & { status: OutcomeStatus };
