type RefusalKind =
  | 'not found'
  | 'not allowed'
  /** The owner has as many vals as the service allows. */
  | 'too many vals'
  /** A token with limits makes and ends no tokens. */
  | 'limited token'
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
