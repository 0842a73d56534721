// Text on stdout, piece by piece, as it comes.
import { visibleLines } from '../../lib/visible.ts';
import type { PiecesResult } from '../result.ts';
import type { Sink } from '../streams.ts';

/** At a terminal, control characters are escaped, and the prompt that follows starts on a line of its own. */
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
