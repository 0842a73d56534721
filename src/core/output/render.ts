import { stringifyJson } from '../lib/json.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import { cellOf } from './cell.ts';
import type { Column } from './column.ts';
import { createFieldSearch } from './fields.ts';
import { gap } from './layout.ts';
import { describeRows, type OutcomeRow } from './outcome.ts';
import { renderJson } from './render-json.ts';
import { renderList, shownColumns, tabLines } from './render-list.ts';
import type { DiffsResult, RecordResult, Result } from './result.ts';
import type { Style } from './style.ts';
import { createTextWidth } from './text-width.ts';
import { type Output, screenOn } from './view.ts';

export async function render(result: Result, output: Output): Promise<void> {
  switch (result.kind) {
    case 'record':
      return renderRecord(result, output);
    case 'list':
      return renderList(result, output);
    case 'diffs':
      return renderDiffs(result, output);
    case 'json':
      return renderJson(result.value, output);
    case 'text':
      return typeof result.text === 'string'
        ? renderText(result.text, output)
        : renderPieces(result.text, output);
    case 'nothing':
      return;
  }
}

async function renderRecord(result: RecordResult, output: Output): Promise<void> {
  const { record } = result;
  const { stdout, kind, fields, forPerson } = output;
  if (kind !== 'text') return renderJson(record, output);
  const search = createFieldSearch(output);
  search.searchIn([record]);
  search.report('The record lacks');
  const columns = shownColumns(result.columns, output);
  if (!forPerson) return stdout.write(tabLines([record], columns));
  const { formatBlocks, formatRecord } = await import('./format-record.ts');
  const screen = await screenOn(stdout, output);
  if (result.forPerson !== undefined && !fields) {
    const { columns: chosen, text } = result.forPerson;
    const lines = visibleLines(screen.redact(text));
    return stdout.write(`${await formatBlocks([record], chosen, screen)}\n${lines.replace(/\n?$/, '\n')}`);
  }
  await stdout.write(await formatRecord(record, columns, fields !== undefined, screen));
}

async function renderText(text: string, { stdout, kind, redact, say }: Output): Promise<void> {
  if (redact(text) !== text) {
    say({
      kind: 'warning',
      text: 'The text contained your token. The token was removed, so the output differs from the original.',
    });
  }
  if (kind !== 'text') return stdout.write(`${stringifyJson(text)}\n`);
  await stdout.write(stdout.isTerminal ? visibleLines(text) : text);
}

async function renderPieces(pieces: AsyncIterable<Buffer>, { stdout }: Output): Promise<void> {
  const decoder = new TextDecoder();
  let isMidLine = false;
  for await (const piece of pieces) {
    const text = stdout.isTerminal ? visibleLines(decoder.decode(piece, { stream: true })) : piece;
    if (typeof text === 'string' && text !== '') isMidLine = !text.endsWith('\n');
    await stdout.write(text);
  }
  // The shell's prompt must start on a new line.
  if (isMidLine) await stdout.write('\n');
}

async function renderDiffs({ rows, diffs }: DiffsResult, output: Output): Promise<void> {
  const { stdout, kind, fields, forPerson, writeHints } = output;
  if (kind !== 'text' || fields) return renderList({ kind: 'list', rows }, output);
  if (!forPerson) return renderText(diffs.map(({ patch }) => patch).join(''), output);
  const { style, width } = await screenOn(stdout, output);
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
  await stdout.writeLong(blocks.join('\n'));
}

function paintLine(line: string, { bold, cyan, green, red, dim }: Style): string {
  if (line === '') return line;
  if (/^(?:---|\+\+\+) /.test(line)) return bold(line);
  if (line.startsWith('@@')) return cyan(line);
  if (line.startsWith('+')) return green(line);
  if (line.startsWith('-')) return red(line);
  return line.startsWith('\\') ? dim(line) : line;
}

export async function renderRow(row: OutcomeRow, columns: readonly Column[], output: Output): Promise<void> {
  const { stdout, kind, fields, forPerson, writeHints } = output;
  if (kind !== 'text' || fields) return renderList({ kind: 'list', rows: [row], columns }, output);
  const records = await describeRows([row], writeHints);
  if (!forPerson) return stdout.write(tabLines(records, columns));
  const screen = await screenOn(stdout, output);
  const cells = records
    .flatMap((record) => columns.map((column) => cellOf(record, column, screen, 'lasting')))
    .filter(({ text }) => text !== '')
    .map(({ text, tone }) => (tone === undefined ? text : screen.style[tone](text)));
  await stdout.write(`${cells.join(gap)}\n`);
}
