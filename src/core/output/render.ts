import { stringifyJson } from '../lib/json.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import { cellOf } from './cell.ts';
import type { Column } from './column.ts';
import { createFieldSearch } from './fields.ts';
import { gap } from './layout.ts';
import type { Say } from './out.ts';
import { describeRows, type OutcomeRow } from './outcome.ts';
import { renderJson } from './render-json.ts';
import { renderList, shownColumns, tabLines } from './render-list.ts';
import type { DiffsResult, RecordResult, Result } from './result.ts';
import type { Screen } from './screen.ts';
import type { Style } from './style.ts';
import { createTextWidth } from './text-width.ts';

export async function render(result: Result, screen: Screen, say: Say): Promise<void> {
  switch (result.kind) {
    case 'record':
      return renderRecord(result, screen, say);
    case 'list':
      return renderList(result, screen, say);
    case 'diffs':
      return renderDiffs(result, screen, say);
    case 'json':
      return renderJson(result.value, screen, say);
    case 'text':
      return typeof result.text === 'string'
        ? renderText(result.text, screen, say)
        : renderPieces(result.text, screen);
    case 'nothing':
      return;
  }
}

async function renderRecord(result: RecordResult, screen: Screen, say: Say): Promise<void> {
  const { record } = result;
  const { kind, fields, forPerson } = screen;
  if (kind !== 'text') return renderJson(record, screen, say);
  const search = createFieldSearch(screen, say);
  search.searchIn([record]);
  search.report('The record lacks');
  const columns = shownColumns(result.columns, screen);
  if (!forPerson) return screen.write(tabLines([record], columns));
  const { formatBlocks, formatRecord } = await import('./format-record.ts');
  if (result.forPerson !== undefined && !fields) {
    const { columns: chosen, text } = result.forPerson;
    const lines = visibleLines(screen.redact(text));
    return screen.write(`${await formatBlocks([record], chosen, screen)}\n${lines.replace(/\n?$/, '\n')}`);
  }
  await screen.write(await formatRecord(record, columns, fields !== undefined, screen));
}

async function renderText(text: string, screen: Screen, say: Say): Promise<void> {
  if (screen.redact(text) !== text) {
    say({
      kind: 'warning',
      text: 'The text contained your token. The token was removed, so the output differs from the original.',
    });
  }
  if (screen.kind !== 'text') return screen.write(`${stringifyJson(text)}\n`);
  await screen.write(screen.isTerminal ? visibleLines(text) : text);
}

async function renderPieces(pieces: AsyncIterable<Buffer>, screen: Screen): Promise<void> {
  const decoder = new TextDecoder();
  let isMidLine = false;
  for await (const piece of pieces) {
    const text = screen.isTerminal ? visibleLines(decoder.decode(piece, { stream: true })) : piece;
    if (typeof text === 'string' && text !== '') isMidLine = !text.endsWith('\n');
    await screen.write(text);
  }
  // The shell's prompt must start on a new line.
  if (isMidLine) await screen.write('\n');
}

async function renderDiffs({ rows, diffs, columns }: DiffsResult, screen: Screen, say: Say): Promise<void> {
  const { kind, fields, forPerson, width, writeHints } = screen;
  if (kind !== 'text' || fields)
    return renderList({ kind: 'list', rows, ...(columns && { columns }) }, screen, say);
  if (!forPerson) return renderText(diffs.map(({ patch }) => patch).join(''), screen, say);
  const style = await screen.style();
  const blocks: string[] = [];
  for (const { heading = '', forTerminal } of diffs) {
    const title = visible(await writeHints(heading));
    const titleLines = title === '' ? [] : (await createTextWidth([title])).wrap(title, width);
    const lines = visibleLines(forTerminal).split('\n');
    blocks.push(
      [...titleLines.map((line) => style.yellow(line)), ...lines.map((line) => paintLine(line, style))].join(
        '\n',
      ),
    );
  }
  await screen.writeLong(blocks.join('\n'));
}

function paintLine(line: string, { bold, cyan, green, red, dim }: Style): string {
  if (line === '') return line;
  if (/^(?:---|\+\+\+) /.test(line)) return bold(line);
  if (line.startsWith('@@')) return cyan(line);
  if (line.startsWith('+')) return green(line);
  if (line.startsWith('-')) return red(line);
  return line.startsWith('\\') ? dim(line) : line;
}

export async function renderRow(
  row: OutcomeRow,
  columns: readonly Column[],
  screen: Screen,
  say: Say,
): Promise<void> {
  const { kind, fields, forPerson, writeHints } = screen;
  if (kind !== 'text' || fields) return renderList({ kind: 'list', rows: [row], columns }, screen, say);
  const records = await describeRows([row], writeHints);
  if (!forPerson) return screen.write(tabLines(records, columns));
  const style = await screen.style();
  const cells = records
    .flatMap((record) => columns.map((column) => cellOf(record, column, screen, 'lasting')))
    .filter(({ text }) => text !== '')
    .map(({ text, tone }) => (tone === undefined ? text : style[tone](text)));
  await screen.write(`${cells.join(gap)}\n`);
}
