/** No boolean, because a boolean makes the SQLite driver abort the process. */
export type Value = string | number | null | Buffer;

/** A statement, or a part of one, with the values of its question marks: parts can be joined in any order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly Value[];
}

const isSql = (part: Value | Sql): part is Sql =>
  typeof part === 'object' && part !== null && !Buffer.isBuffer(part);

/** A value becomes a question mark, and another part becomes a part of this one. */
export function sql(texts: TemplateStringsArray, ...parts: (Value | Sql)[]): Sql {
  let text = texts[0] ?? '';
  const values: Value[] = [];
  for (const [index, part] of parts.entries()) {
    text += (isSql(part) ? part.text : '?') + (texts[index + 1] ?? '');
    values.push(...(isSql(part) ? part.values : [part]));
  }
  return { text, values };
}

/** Text that is part of the statement itself, and never comes from a caller. */
export const raw = (text: string | number): Sql => ({ text: `${text}`, values: [] });

export const emptySql = raw('');

export const joined = (parts: readonly Sql[], separator: string): Sql => ({
  text: parts.map(({ text }) => text).join(separator),
  values: parts.flatMap(({ values }) => values),
});

export const allOf = (conditions: readonly Sql[]): Sql => joined(conditions, ' AND ');

/** For `IN`. */
export const sqlList = (values: readonly Value[]): Sql => ({
  text: `(${values.map(() => '?').join(', ')})`,
  values,
});
