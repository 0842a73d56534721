// A list on stdout: a table at a terminal, a line per record in a pipe, one array or one record per line in JSON.
import { type JsonObject, lookUp, stringifyJson } from '../../lib/json.ts';
import { type Rows, rowsOfRecords, workOn } from '../../lib/rows.ts';
import type { Column } from '../column.ts';
import { project } from '../fields.ts';
import { withoutToken } from '../json-text.ts';
import type { Layout, ListResult, OutcomesResult } from '../result.ts';
import type { Screen } from '../screen.ts';
import type { Sink } from '../streams.ts';
import { writeJson } from './json.ts';
import { type RenderOptions, screenOf, shownColumns, tabLine } from './options.ts';

export async function renderList(result: ListResult, stdout: Sink, options: RenderOptions): Promise<void> {
  const unknown = findUnknownFields(result.columns, options);
  await writeList(result, stdout, options, unknown.look);
  unknown.warn();
}

/** No pager: the user waits for the prompt. No warning about fields: outcomes leave out keys without a value. */
export const renderOutcomes = (
  { rows }: OutcomesResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> =>
  writeList({ kind: 'list', rows }, { ...stdout, writeLong: stdout.write }, options, () => {});

/** Only --ndjson writes while pages arrive. In every other format, a list that fails half-way writes nothing. */
async function writeList(
  result: ListResult,
  stdout: Sink,
  options: RenderOptions,
  look: (records: readonly JsonObject[]) => void,
): Promise<void> {
  const { kind, fields, screen, redactor } = options;
  const columns = shownColumns(result.columns, options);
  const inMemory = kind === 'json' ? stdout.isTerminal : kind === 'text' && screen;
  const chosen = (rows: Rows): readonly JsonObject[] =>
    fields ? rows.records.map((record) => project(record, fields)) : rows.records;
  const json = (records: readonly JsonObject[], after: string) =>
    records.map((record) => stringifyJson(record) + after).join('');
  const cleanJson = (records: readonly JsonObject[], after: string) => () =>
    records.map((record) => stringifyJson(withoutToken(record, redactor)) + after).join('');
  const pieces: Piece[] = [];
  const records: JsonObject[] = [];
  let empty = true;
  for await (const rows of pagesOf(result.rows)) {
    if (rows.records.length === 0) continue;
    empty = false;
    if (fields) await workOn(rows, () => look(rows.records));
    if (inMemory) {
      for (const record of kind === 'json' ? chosen(rows) : rows.records) records.push(record);
    } else if (kind === 'text') {
      const lines = () => rows.records.map((record) => tabLine(record, columns, redactor)).join('');
      pieces.push({ text: await workOn(rows, lines) });
    } else if (kind === 'json') {
      const part = chosen(rows);
      pieces.push({ text: await workOn(rows, () => json(part, ',')), clean: cleanJson(part, ',') });
    } else if (stdout.isTerminal) {
      for (const record of chosen(rows)) await writeJson(record, stdout, options);
    } else {
      const part = chosen(rows);
      await stdout.write(await workOn(rows, () => json(part, '\n')), cleanJson(part, '\n'));
    }
  }
  if (empty) options.onEmpty?.();
  await options.endable(async () => {
    if (kind === 'json' && inMemory) return writeJson(records, stdout, options);
    if (kind === 'json') return writeArray(pieces, stdout);
    for (const { text } of pieces) await stdout.write(text);
    if (records.length === 0) return;
    await stdout.writeLong(await arrange(records, result, await screenOf(stdout, options), options));
  });
}

const pagesOf = (rows: ListResult['rows']): AsyncIterable<Rows> | Iterable<Rows> =>
  Symbol.asyncIterator in rows ? rows : [rowsOfRecords(rows)];

interface Piece {
  text: string;
  /** The same without the token. */
  clean?: () => string;
}

async function writeArray(pieces: readonly Piece[], stdout: Sink): Promise<void> {
  await stdout.write('[');
  for (const [index, { text, clean }] of pieces.entries()) {
    const end = index === pieces.length - 1 ? -1 : undefined;
    await stdout.write(text.slice(0, end), clean && (() => clean().slice(0, end)));
  }
  await stdout.write(']\n');
}

/** The records as a table, or as blocks of lines. */
export async function arrange(
  records: readonly JsonObject[],
  { columns: own, inBlocks, total }: Layout,
  screen: Screen,
  options: RenderOptions,
): Promise<string> {
  const { fields, given } = options;
  const columns = shownColumns(own, options);
  if (inBlocks && !fields) {
    const { formatBlocks } = await import('../record.ts');
    return formatBlocks(records, columns, screen);
  }
  const { formatTable } = await import('../table.ts');
  return formatTable(records, columns, screen, {
    given,
    chosen: fields !== undefined,
    total: fields ? undefined : total,
  });
}

/** The most keys that a warning names. */
const mostNamed = 20;

/** Finds the fields that no record has and that are no column of the command. */
function findUnknownFields(
  own: readonly Column[] | undefined,
  { fields = [], columns, warn }: RenderOptions,
) {
  const known = new Set((own ?? columns).flatMap(({ paths }) => paths));
  const unseen = new Set(fields.filter((field) => !known.has(field)));
  const keys = new Set<string>();
  return {
    look(records: readonly JsonObject[]): void {
      if (unseen.size === 0) return;
      for (const record of records) {
        for (const field of unseen) if (lookUp(record, field) !== undefined) unseen.delete(field);
        if (keys.size < mostNamed) for (const key of Object.keys(record)) keys.add(key);
      }
    },
    warn(): void {
      if (unseen.size === 0 || keys.size === 0) return;
      const there = [...keys].slice(0, mostNamed).join(', ');
      warn(
        `No record has the field ${[...unseen].map((field) => `"${field}"`).join(' or ')}. The fields are: ${there}.`,
      );
    },
  };
}
