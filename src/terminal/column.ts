// A column of a table: which value of a record it shows, and how a person sees it.
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Glyphs } from './glyphs.ts';
import type { Style } from './style.ts';

/** A column of a table: the first of its paths that has a value. */
export interface Column {
  header: string;
  paths: readonly string[];
  /** At a terminal, a moment is shown as its age. */
  moment?: boolean;
  /** In a table at a terminal, its first characters alone. */
  isId?: boolean;
  /** Useless when cut, as a figure is: other columns give way first. */
  neverCut?: boolean;
  /** Left out where a table would become too narrow to read, the lowest first; never, where absent. */
  droppable?: number;
  /** How wide its values usually become: a table that grows has that much room for them. */
  usualWidth?: number;
  /** A record in place of a text, such as an author without a name, is shown as nothing. */
  textAlone?: boolean;
  /** Shown there alone; everywhere, where absent. */
  only?: 'terminal' | 'pipe';
  /** The argument or option that says it already, where it was given and all rows have one value. */
  impliedBy?: string;
  /** For the eye alone, at a terminal: another text for the value, and its colour. */
  present?(value: string, record: JsonObject, glyphs: Glyphs): { text: string; tone?: keyof Style };
  /** A value made from the record, which JSON does not have; undefined where the paths say it. */
  make?: (record: JsonObject) => JsonValue | undefined;
  /** At a terminal, a number is shown so. */
  write?(value: number): string;
  /** Counts over time, shown as bars. */
  chart?: boolean;
  /** Text of many lines: a table shows the first. The hint is said where that is not all. */
  firstLine?: { hint: string };
}

export const column = (header: string, ...paths: string[]): Column => ({
  header,
  paths: paths.length > 0 ? paths : [header],
});

/** A person's name, under whichever of these paths it comes. */
export const authorColumn = (...paths: string[]): Column => ({
  ...column('author', ...paths),
  textAlone: true,
});

/** An id goes first where there is no room. */
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
export const chart = (header: string, path: string): Column => ({ ...column(header, path), chart: true });

/** Those of a pipe, or those of a screen. */
export const columnsFor = (columns: readonly Column[], place: 'terminal' | 'pipe'): Column[] =>
  columns.filter(({ only = place }) => only === place);
