type RefusalKind =
  | 'not found'
  | 'not allowed'
  /** The new token would outlive the token of the caller. */
  | 'lives longer'
  | 'conflict'
  | 'changed'
  | 'key reused'
  /** The person was removed. */
  | 'unknown caller'
  /** The person is no longer a member of the space, or the space was removed. */
  | 'no member';

/** The store is in order, but it does not do what the caller wants. The message is for the caller. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message);
  }
}
