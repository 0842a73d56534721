// Ctrl-C is how a person ends what runs until then, and nothing to be told of; another signal is.
import { InterruptedError } from '../../errors.ts';

export const withoutWords = (error: unknown): unknown =>
  error instanceof InterruptedError && error.exit === 130 ? new InterruptedError(130, '') : error;
