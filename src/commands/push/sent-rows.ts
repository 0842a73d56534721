import type { Context } from '../../cli/context.ts';
import type { OutcomeRow } from '../../lib/outcome.ts';
import { hintAbout } from '../../workspace/next-steps.ts';

const wasSent = ({ status }: OutcomeRow): boolean => status === 'created' || status === 'pushed';

export const isSentWithoutId = (row: OutcomeRow): boolean => wasSent(row) && row.id === undefined;

/** The table has only the new name. */
export function noteRenames({ say, flags }: Context, rows: readonly OutcomeRow[]): void {
  if (flags.json || flags.ndjson) return;
  for (const { name, nameBefore, status } of rows) {
    const isDone = status === 'renamed' || status === 'pushed';
    if (nameBefore !== undefined && isDone)
      say({ kind: 'note', text: `The val "${nameBefore}" is named "${name}" now.` });
  }
}

/** What the service has newer code for is not sent, and is no failure. */
export function noteBehind(
  context: Context,
  rows: readonly OutcomeRow[],
  { isNamed }: { isNamed: boolean },
): void {
  const { say, env, flags } = context;
  const files = rows.filter(({ status }) => status === 'behind').map(({ file }) => `${file}`);
  if (files.length === 0) return;
  const [first = ''] = files;
  const text =
    files.length === 1
      ? `${first} was not sent, because the service has newer code.`
      : `${files.length} files were not sent, because the service has newer code.`;
  if (env.GITHUB_ACTIONS === 'true') {
    say({
      kind: 'lines',
      text: `::warning::${text} ${files.length === 1 ? '' : files.join(', ')}`.trimEnd(),
      despite: 'pipe',
    });
    return;
  }
  if (flags.json || flags.ndjson) return;
  const pull = { text: 'To write it into the files', command: 'pull' };
  say({ kind: 'note', text: [text, isNamed ? hintAbout(files, pull) : pull] });
}
