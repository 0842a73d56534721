import { stringifyJson } from '../../lib/json.ts';
import { visibleLines } from '../../lib/visible.ts';
import type { PiecesResult, TextResult } from '../result.ts';
import type { Redactor, Sink } from '../streams.ts';
import type { RenderOptions } from './options.ts';

export async function renderText(
  { text }: TextResult,
  stdout: Sink,
  { kind, redactor, interruptibleIfReadOnly, warn }: RenderOptions,
): Promise<void> {
  const format = (part: string) => {
    if (kind !== 'text') return `${stringifyJson(part)}\n`;
    return stdout.isTerminal ? visibleLines(part) : part;
  };
  const redactAndWarn = () => {
    warn('The text contained your token. The token was removed, so the output differs from the original.');
    return format(redactor.redact(text));
  };
  await interruptibleIfReadOnly(() => stdout.write(format(text), redactAndWarn));
}

export async function renderPieces(
  { pieces }: PiecesResult,
  stdout: Sink,
  { redactor }: RenderOptions,
): Promise<void> {
  if (stdout.isTerminal) return showPieces(pieces, stdout, redactor);
  for await (const piece of pieces) await stdout.write(piece);
}

async function showPieces(pieces: AsyncIterable<Buffer>, terminal: Sink, redactor: Redactor): Promise<void> {
  const decoder = new TextDecoder();
  let isMidLine = false;
  for await (const piece of pieces) {
    const text = visibleLines(redactor.redact(decoder.decode(piece, { stream: true })));
    if (text !== '') isMidLine = !text.endsWith('\n');
    await terminal.write(text);
  }
  // The shell's prompt must start on a new line.
  if (isMidLine) await terminal.write('\n');
}
