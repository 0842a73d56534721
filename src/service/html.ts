// Text in HTML: shown as what it is, whatever it holds.
import { visibleLines } from '../lib/visible.ts';

const references: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const shown = (text: string): string =>
  visibleLines(text.replaceAll('\r\n', '\n')).replace(/[&<>"']/g, (character) => references[character] ?? '');
