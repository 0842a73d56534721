// Text from a service or a file, made harmless for a screen.
import { visible } from '../lib/visible.ts';

export { visible, visibleLines } from '../lib/visible.ts';

/** As a tab-separated field, from which the value can be had back. */
export const tabSeparated = (text: string): string => visible(text.replaceAll('\\', '\\\\'));
