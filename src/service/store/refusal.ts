type RefusalKind = 'not found' | 'not allowed' | 'conflict' | 'changed' | 'key reused';

/** The store is in order, but it does not do what the caller wants. The message is for the caller. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message);
  }
}
