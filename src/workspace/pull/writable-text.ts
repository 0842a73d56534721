import { BadResponseError } from '../../core/errors.ts';
import { sh } from '../../core/lib/hint.ts';
import { hasLoneSurrogate } from '../../core/lib/visible.ts';
import type { ReadVal } from '../read/remotes.ts';

/** The code of a val, if it can be written to a file. */
export function writableText({ id, name, code }: ReadVal): string {
  if (!hasLoneSurrogate(code.text)) return code.text;
  throw new BadResponseError(
    `The code of "${name}" contains half of a character (a lone surrogate), so it cannot be written to a file as UTF-8.`,
    { hint: sh`To see the code, run ${['val', 'get', id]}.` },
  );
}
