// Text on stdout, byte for byte. At a terminal, control characters are escaped.
import { stringifyJson } from '../../lib/json.ts';
import { visibleLines } from '../../lib/visible.ts';
import { withoutToken } from '../json-text.ts';
import type { PiecesResult, TextResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import type { RenderOptions } from './options.ts';

export async function renderText(
  { text }: TextResult,
  stdout: Sink,
  { kind, redactor, endable, warn }: RenderOptions,
): Promise<void> {
  const asJson = (part: unknown) => `${stringifyJson(part)}\n`;
  const shown = (part: string) => (stdout.isTerminal ? visibleLines(part) : part);
  const clean = () => {
    warn('The text contained your token. vals removed the token, so the output differs from the original.');
    return kind === 'text' ? shown(redactor.redact(text)) : asJson(withoutToken(text, redactor));
  };
  await endable(() => stdout.write(kind === 'text' ? shown(text) : asJson(text), clean));
}

/** Writes pieces as they arrive. At a terminal, a newline follows, so that the prompt starts on a line of its own. */
export async function renderPieces({ pieces }: PiecesResult, stdout: Sink): Promise<void> {
  const decoder = new TextDecoder();
  let last = '\n';
  for await (const piece of pieces) {
    const text = stdout.isTerminal ? visibleLines(decoder.decode(piece, { stream: true })) : '';
    last = text.at(-1) ?? last;
    await stdout.write(stdout.isTerminal ? text : piece);
  }
  if (last !== '\n') await stdout.write('\n');
}
