import { BadResponseError } from '../errors.ts';
import { hasLoneSurrogate } from '../lib/visible.ts';
import type { ReadVal } from './remote-vals.ts';

/** The code of a val, if it can be written to a file. */
export function writable({ id, code }: ReadVal, name: string): string {
  if (!hasLoneSurrogate(code.text)) return code.text;
  throw new BadResponseError(
    `The code of "${name}" contains half of a character (a lone surrogate), so it cannot be written to a file as UTF-8.`,
    { hint: { text: 'To see the code', command: 'val get', input: { val: id } } },
  );
}
