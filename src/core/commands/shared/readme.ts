import type { Context } from '../../command-line/command.ts';
import { LocalError } from '../../errors.ts';
import { readText } from '../../files/read-text.ts';

/** The text of the file of --readme. People give the text itself. */
export async function readReadme(file: string, context: Context): Promise<string> {
  try {
    return await readText(file, context);
  } catch (error) {
    if (error instanceof LocalError) {
      error.facts.hint = 'The readme comes from a file. To name the file, add --readme <file>.';
    }
    throw error;
  }
}
