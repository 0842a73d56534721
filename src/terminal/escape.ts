// Makes text from a service or a file harmless for a terminal.
import { visible } from '../lib/visible.ts';

export { visible, visibleLines } from '../lib/visible.ts';

/** A field of a tab-separated line, from which the value can be restored. */
export const tabSeparated = (text: string): string => visible(text.replaceAll('\\', '\\\\'));
