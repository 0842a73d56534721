// Saves what a command learnt about vals. The outcomes are shown even if that fails.
import { LocalError } from '../../errors.ts';

/** Returns the error if it cannot be saved. The next command saves it then. */
export async function settled(workspace: { settle(): Promise<void> }): Promise<LocalError | undefined> {
  try {
    await workspace.settle();
    return undefined;
  } catch (error) {
    if (error instanceof LocalError) return error;
    throw error;
  }
}
