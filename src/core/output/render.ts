import type { WriteHints } from '../lib/hint.ts';
import { isObject, type JsonObject, type JsonValue, stringifyJson } from '../lib/json.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import { cellOf, type Screen } from './cell.ts';
import type { Column } from './column.ts';
import { project } from './fields.ts';
import { gap } from './layout.ts';
import type { OutcomeRow } from './outcome.ts';
import type { Output } from './output.ts';
import {
  formatRecords,
  renderList,
  screenOf,
  shownColumns,
  tabLines,
  warnOfMissingFieldsIn,
  writeJson,
  writeList,
} from './render-list.ts';
import {
  type DiffsResult,
  describeRows,
  type JsonResult,
  type ListResult,
  pagesOf,
  type RecordResult,
  type Result,
  type ShownDiff,
} from './result.ts';
import { createStyle, type Style, withBoldTitles } from './style.ts';
import { createTextWidth } from './text-width.ts';

export const renderHelp = async (text: string, { stdout, format }: Output): Promise<void> =>
  stdout.write(withBoldTitles(text, await createStyle(format.color)));

export async function render(result: Result, output: Output): Promise<void> {
  switch (result.kind) {
    case 'record':
      return renderRecord(result, output);
    case 'list':
      return result.goesOn ? renderPages(result, output) : renderList(result, output);
    case 'diffs':
      return renderDiffs(result, output);
    case 'json':
      return renderJson(result, output);
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
  const { stdout, format } = output;
  warnOfMissingFieldsIn(record, output);
  if (format.kind !== 'text') {
    return writeJson(format.fields ? project(record, format.fields) : record, output);
  }
  const columns = shownColumns(result.columns, output);
  if (!format.forPerson) return stdout.write(tabLines([record], columns));
  const { formatBlocks, formatRecord } = await import('./format-record.ts');
  const screen = await screenOf(output);
  if (result.forPerson !== undefined && !format.fields) {
    const { columns: chosen, text } = result.forPerson;
    const lines = visibleLines(screen.redact(text));
    return stdout.write(`${await formatBlocks([record], chosen, screen)}\n${lines.replace(/\n?$/, '\n')}`);
  }
  await stdout.write(await formatRecord(record, columns, format.fields !== undefined, screen));
}

async function renderJson({ value }: JsonResult, output: Output): Promise<void> {
  const { kind, fields } = output.format;
  if (isObject(value)) warnOfMissingFieldsIn(value, output);
  const withFields = (item: JsonValue) => (fields && isObject(item) ? project(item, fields) : item);
  const selected = Array.isArray(value) ? value.map(withFields) : withFields(value);
  if (kind !== 'ndjson') return writeJson(selected, output);
  for (const line of Array.isArray(selected) ? selected : [selected]) await writeJson(line, output);
}

async function renderText(text: string, { stdout, format, redactor, messages }: Output): Promise<void> {
  if (redactor.redact(text) !== text) {
    messages.say({
      kind: 'warning',
      text: 'The text contained your token. The token was removed, so the output differs from the original.',
    });
  }
  if (format.kind !== 'text') return stdout.write(`${stringifyJson(text)}\n`);
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

/** Each page as it comes. */
async function renderPages(result: ListResult, output: Output): Promise<void> {
  if (output.format.kind !== 'text') {
    return renderList(result, { ...output, format: { ...output.format, kind: 'ndjson' } });
  }
  const write = await createFollowingFormat(result, output);
  for await (const { records } of await pagesOf(result.rows, output.writeHints)) {
    await output.stdout.write(await write(records));
  }
}

async function createFollowingFormat(
  result: ListResult,
  output: Output,
): Promise<(records: readonly JsonObject[]) => string | Promise<string>> {
  const columns = shownColumns(result.columns, output);
  if (!output.format.forPerson) return (records) => tabLines(records, columns);
  const screen = await screenOf(output);
  if (result.inBlocks) {
    return async (records) => `${await formatRecords(records, result, screen, output)}\n`;
  }
  const { createGrowingTable } = await import('./table.ts');
  return createGrowingTable(columns, screen);
}

async function renderDiffs({ rows, diffs }: DiffsResult, output: Output): Promise<void> {
  const { stdout, format } = output;
  if (format.kind !== 'text' || format.fields) return renderList({ kind: 'list', rows }, output);
  if (!format.forPerson) {
    return renderText(diffs.map(({ patch }) => patch).join(''), output);
  }
  await stdout.writeLong(await formatDiffs(diffs, await screenOf(output), output.writeHints));
}

async function formatDiffs(
  diffs: readonly ShownDiff[],
  { style, width }: Screen,
  writeHints: WriteHints,
): Promise<string> {
  const blocks: string[] = [];
  for (const { heading = '', forTerminal } of diffs) {
    const title = visible(await writeHints(heading));
    const titleLines = title === '' ? [] : (await createTextWidth([title])).wrap(title, width);
    const painted = [
      ...titleLines.map((line) => style.yellow(line)),
      ...visibleLines(forTerminal)
        .split('\n')
        .map((line) => paintLine(line, style)),
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

export async function renderRow(row: OutcomeRow, columns: readonly Column[], output: Output): Promise<void> {
  const { stdout, format, writeHints } = output;
  const [record = {}] = await describeRows([row], writeHints);
  if (format.kind === 'ndjson' || format.fields) {
    return writeList({ kind: 'list', rows: [record], columns }, output);
  }
  if (!format.forPerson) return stdout.write(tabLines([record], columns));
  const screen = await screenOf(output);
  const cells = columns
    .map((column) => cellOf(record, column, screen, 'lasting'))
    .filter(({ text }) => text !== '')
    .map(({ text, tone }) => (tone === undefined ? text : screen.style[tone](text)));
  await stdout.write(`${cells.join(gap)}\n`);
}
