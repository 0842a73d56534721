import type { Hints } from '../lib/hint.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Glyphs } from './glyphs.ts';
import type { Style } from './style.ts';

export interface Column {
  header: string;
  paths: readonly string[];
  /** The value is a time. A terminal shows how long ago the time was, such as "5m ago". */
  moment?: boolean;
  withHour?: boolean;
  isId?: boolean;
  neverCut?: boolean;
  /** If the terminal is too narrow, the column with the lowest number is left out first. */
  droppable?: number;
  reservedWidth?: number;
  skipObjects?: boolean;
  only?: 'terminal' | 'pipe';
  /** The key of an option. If the user gave the option and all rows have the same value, the column is left out. */
  impliedBy?: string;
  present?(value: string, record: JsonObject, glyphs: Glyphs): { text: string; tone?: keyof Style };
  compute?: (record: JsonObject) => JsonValue | undefined;
  formatNumber?(value: number): string;
  chart?: { since: string | undefined };
  /** A table shows only the first line of the value. If the value has more lines, the hint is shown too. */
  firstLine?: { hint: Hints };
}

export const column = (header: string, ...paths: string[]): Column => ({
  header,
  paths: paths.length > 0 ? paths : [header],
});

export const authorColumn = (...paths: string[]): Column => ({
  ...column('author', ...paths),
  skipObjects: true,
});

export const idColumn = (header: string, ...paths: string[]): Column => ({
  ...column(header, ...paths),
  isId: true,
  neverCut: true,
  droppable: 1,
});

export const moment = (header: string, ...paths: string[]): Column => ({
  ...column(header, ...paths),
  moment: true,
  neverCut: true,
});

export const figure = (header: string, path: string, formatNumber: (value: number) => string): Column => ({
  ...column(header, path),
  formatNumber,
  neverCut: true,
});

export const chart = (header: string, path: string, since?: string): Column => ({
  ...column(header, path),
  chart: { since },
});

export const columnsFor = (columns: readonly Column[], place: 'terminal' | 'pipe'): Column[] =>
  columns.filter(({ only = place }) => only === place);
