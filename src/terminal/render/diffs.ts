import { visible, visibleLines } from '../../lib/visible.ts';
import type { DiffsResult, ShownDiff } from '../result.ts';
import type { Screen } from '../screen.ts';
import type { Sink } from '../streams.ts';
import type { Style } from '../style.ts';
import { createTextWidth } from '../text-width.ts';
import { renderList } from './list.ts';
import { type RenderOptions, screenOf } from './options.ts';
import { renderText } from './text.ts';

export async function renderDiffs(
  { rows, diffs }: DiffsResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { kind, fields, forPerson, interruptibleIfReadOnly } = options;
  if (kind !== 'text' || fields) return renderList({ kind: 'list', rows }, stdout, options);
  if (!forPerson) {
    const text = diffs.map(({ patch }) => patch).join('');
    return renderText({ kind: 'text', text }, stdout, options);
  }
  await interruptibleIfReadOnly(async () =>
    stdout.writeLong(await formatDiffs(diffs, await screenOf(stdout, options))),
  );
}

async function formatDiffs(diffs: readonly ShownDiff[], screen: Screen): Promise<string> {
  const { style, redact, width } = screen;
  const blocks: string[] = [];
  for (const { heading = '', forTerminal } of diffs) {
    const title = visible(redact(heading));
    const titleLines = title === '' ? [] : (await createTextWidth([title])).wrap(title, width);
    const diffLines = visibleLines(redact(forTerminal)).split('\n');
    const painted = [
      ...titleLines.map((line) => style.yellow(line)),
      ...diffLines.map((line) => paintLine(line, style)),
    ];
    blocks.push(painted.join('\n'));
  }
  return blocks.join('\n');
}

function paintLine(line: string, { bold, cyan, green, red, dim }: Style): string {
  if (line === '') return line;
  if (/^(?:---|\+\+\+) /.test(line)) return bold(line);
  if (line.startsWith('@@')) return cyan(line);
  if (line.startsWith('+')) return green(line);
  if (line.startsWith('-')) return red(line);
  return line.startsWith('\\') ? dim(line) : line;
}
