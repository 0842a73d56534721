// Writing down what a command learnt of vals, at its end: what was done is shown even where that fails.
import { LocalError } from '../../errors.ts';

/** The error where it cannot be written; then the next command that can does it. */
export async function settled(workspace: { settle(): Promise<void> }): Promise<LocalError | undefined> {
  try {
    await workspace.settle();
    return undefined;
  } catch (error) {
    if (error instanceof LocalError) return error;
    throw error;
  }
}
