// A column of a table: which value of a record it shows, and how a person sees it.
import type { JsonObject } from '../lib/json.ts';
import type { Style } from './style.ts';

/** A column of a table: the first of its paths that has a value. */
export interface Column {
  header: string;
  paths: readonly string[];
  /** At a terminal, a moment is shown as its age. */
  moment?: boolean;
  /** Useless when cut, as an id is: other columns give way first. */
  neverCut?: boolean;
  /** Left out of a table that would otherwise have to be cut: what it says can be missed first. */
  droppable?: boolean;
  /** A record in place of a text, such as an author without a name, is shown as nothing. */
  textAlone?: boolean;
  /** For the eye alone, at a terminal: another text for the value, and its colour. */
  present?(value: string, record: JsonObject): { text: string; tone?: keyof Style };
  /** A text made from the record, which JSON does not have; undefined where the paths say it. */
  text?: (record: JsonObject) => string | undefined;
  /** At a terminal, a number is shown so. */
  write?(value: number): string;
  /** Counts over time, shown as bars. */
  chart?: boolean;
}

export const column = (header: string, ...paths: string[]): Column => ({
  header,
  paths: paths.length > 0 ? paths : [header],
  neverCut: header === 'id',
});

/** A person's name, under whichever of these paths it comes. */
export const authorColumn = (...paths: string[]): Column => ({
  ...column('author', ...paths),
  textAlone: true,
});

export const moment = (header: string, ...paths: string[]): Column => ({
  ...column(header, ...paths),
  moment: true,
});

export const figure = (header: string, path: string, write: (value: number) => string): Column => ({
  ...column(header, path),
  write,
  neverCut: true,
});
export const chart = (header: string, path: string): Column => ({ ...column(header, path), chart: true });
