import type { Context } from '../core/command-line/command.ts';
import { type Hints, hintList } from '../core/lib/hint.ts';

/** One line for all. In GitHub Actions it is an annotation. */
export function noteOnce(
  { out: { say }, host: { env } }: Context,
  text: string,
  hints: Hints,
  details = '',
): void {
  if (env.GITHUB_ACTIONS === 'true') {
    say({ kind: 'lines', text: `::warning::${text}${details && ` ${details}`}`, despite: 'pipe' });
    return;
  }
  say({ kind: 'note', text: [text, ...hintList(hints)] });
}
