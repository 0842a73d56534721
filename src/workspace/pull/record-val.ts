import { BadResponseError } from '../../core/errors.ts';
import { sh } from '../../core/lib/hint.ts';
import { hasLoneSurrogate } from '../../core/lib/visible.ts';
import type { Look } from '../read/look.ts';
import type { ReadVal, RemoteVal } from '../read/remotes.ts';

/** The file has, or is merged with, the code that the val has now. */
export async function recordVal(look: Look, name: string, { id, version, code }: RemoteVal): Promise<void> {
  const commit = (await look.repository?.head())?.commit;
  look.records.set(name, { id, version, blob: code.blob, commit });
}

/** The code of a val, if it can be written to a file. */
export function writableText({ id, name, code }: ReadVal): string {
  if (!hasLoneSurrogate(code.text)) return code.text;
  throw new BadResponseError(
    `The code of "${name}" contains half of a character (a lone surrogate), so it cannot be written to a file as UTF-8.`,
    { hint: sh`To see the code, run ${['val', 'get', id]}.` },
  );
}
