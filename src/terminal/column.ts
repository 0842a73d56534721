// The definition of a column: the value of a record that it shows, and the way to show it.
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Glyphs } from './glyphs.ts';
import type { Style } from './style.ts';

/** The column shows the value at the first of its paths that has a value. */
export interface Column {
  header: string;
  paths: readonly string[];
  /** The value is a time. A terminal shows the age of the time, such as "5m ago". */
  moment?: boolean;
  /** A time more than a day ago is shown as day and hour, instead of its age. */
  withHour?: boolean;
  /** The value is an id. A table at a terminal shows only its first characters. */
  isId?: boolean;
  /** The value is never cut, because half a number is useless. */
  neverCut?: boolean;
  /** The column is left out if the terminal is too narrow, the column with the lowest number first. Undefined: never left out. */
  droppable?: number;
  /** The usual width of the values. A table that grows reserves this width for later rows. */
  usualWidth?: number;
  /** Skips a value that is a record, such as an author without a name. */
  textAlone?: boolean;
  /** `terminal`: the column is not shown in a pipe. `pipe`: not at a terminal. Undefined: the column is shown in both. */
  only?: 'terminal' | 'pipe';
  /** The key of an argument or option. The column is left out if the user gave this option and all rows have the same value. */
  impliedBy?: string;
  /** Returns the text and the colour that a terminal shows instead of the value. */
  present?(value: string, record: JsonObject, glyphs: Glyphs): { text: string; tone?: keyof Style };
  /** Computes a value that the record does not have. If the result is undefined, the paths are used. */
  make?: (record: JsonObject) => JsonValue | undefined;
  /** How a number is written at a terminal. */
  write?(value: number): string;
  /** Counts over time, shown as bars. The caption begins no earlier than `since`. */
  chart?: { since: string | undefined };
  /** The value has several lines. A table shows the first line, and the hint if there are more. */
  firstLine?: { hint: string };
}

export const column = (header: string, ...paths: string[]): Column => ({
  header,
  paths: paths.length > 0 ? paths : [header],
});

/** Shows a person's name, from the first of these paths that has a name. */
export const authorColumn = (...paths: string[]): Column => ({
  ...column('author', ...paths),
  textAlone: true,
});

/** If the terminal is too narrow, the column of an id is left out first. */
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

export const figure = (header: string, path: string, write: (value: number) => string): Column => ({
  ...column(header, path),
  write,
  neverCut: true,
});

export const chart = (header: string, path: string, since?: string): Column => ({
  ...column(header, path),
  chart: { since },
});

export const columnsFor = (columns: readonly Column[], place: 'terminal' | 'pipe'): Column[] =>
  columns.filter(({ only = place }) => only === place);
