import { hasLoneSurrogate } from '../core/lib/visible.ts';
import { HttpProblem } from './problem.ts';
import { sortableTime, timestampOf } from './store/timestamps.ts';

declare const type: unique symbol;

/** A JSON Schema that carries the type of what it describes. */
export interface Schema<Described = unknown> {
  readonly [keyword: string]: unknown;
  readonly [type]?: Described;
}

export type Body = Record<string, unknown>;
export type Query = (name: string) => string[];

interface Field<Given, Value> {
  schema: Schema;
  isRequired?: boolean;
  read(value: Given, name: string): Value;
}

export type BodyField<Value> = Field<unknown, Value>;
export type Parameter<Value> = Field<string | undefined, Value>;
type ValueOf<AnyField> = AnyField extends Field<never, infer Value> ? Value : never;

export interface Check<Given, Value> {
  fields: Record<string, Field<never, unknown>>;
  read(given: Given): Value;
}

export const thenCheck = <Given, Value, Result>(
  { fields, read }: Check<Given, Value>,
  next: (value: Value) => Result,
): Check<Given, Result> => ({ fields, read: (given) => next(read(given)) });

export function body<
  Required extends Record<string, BodyField<unknown>>,
  Optional extends Record<string, BodyField<unknown>>,
>(required: Required, optional: Optional) {
  type Values = { [Name in keyof Required]: ValueOf<Required[Name]> } & {
    [Name in keyof Optional]?: ValueOf<Optional[Name]>;
  };
  const fields: Record<string, BodyField<unknown>> = {};
  for (const [name, field] of Object.entries(required)) fields[name] = { ...field, isRequired: true };
  Object.assign(fields, optional);
  const read = (given: Body, above = '') =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name, { isRequired }]) => isRequired || given[name] !== undefined)
        .map(([name, field]) => [name, field.read(given[name], above + name)]),
    ) as Values;
  return { fields, read };
}

export function query<Parameters extends Record<string, Parameter<unknown>>>(fields: Parameters) {
  const read = (given: Query) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, field.read(single(given(name), name), name)]),
    ) as { [Name in keyof Parameters]: ValueOf<Parameters[Name]> };
  return { fields, read };
}

function single(values: string[], name: string): string | undefined {
  if (values.length > 1) throw refuse(name, 'must be given once');
  return values[0];
}

export function refuse(field: string, rule: string, status: 400 | 413 = 400): HttpProblem {
  return new HttpProblem(status, `${field} ${rule}.`, { field });
}

interface TextRules {
  min?: number;
  /** Counts Unicode characters, as `maxLength` in JSON Schema does. */
  max?: number;
  pattern?: RegExp;
  /** What the pattern asks for. */
  rule?: string;
}

export const text = ({ min = 0, max, pattern, rule = '' }: TextRules = {}): BodyField<string> => ({
  schema: { type: 'string', minLength: min, maxLength: max, pattern: pattern?.source },
  read(value, name) {
    if (typeof value !== 'string') throw refuse(name, 'must be a string');
    if (hasLoneSurrogate(value)) throw refuse(name, 'must not contain an unpaired surrogate');
    if (max !== undefined && value.length > max && charactersIn(value) > max)
      throw refuse(name, `must have at most ${max} characters`, 413);
    if (value.length < min) throw refuse(name, 'must not be empty');
    if (pattern && !pattern.test(value)) throw refuse(name, rule);
    return value;
  },
});

const charactersIn = (text: string): number => text.length - (text.match(/[\uD800-\uDBFF]/g)?.length ?? 0);

export const flag: BodyField<boolean> = {
  schema: { type: 'boolean' },
  read(value, name) {
    if (typeof value !== 'boolean') throw refuse(name, 'must be true or false');
    return value;
  },
};

export const wordOf = <Value extends string>(values: readonly Value[]): BodyField<Value> => ({
  schema: { type: 'string', enum: values },
  read(value, name) {
    const known = values.find((word) => word === value);
    if (known === undefined) throw refuse(name, `must be one of ${values.join(', ')}`);
    return known;
  },
});

export const orNull = <Value>({ schema, read }: BodyField<Value>): BodyField<Value | null> => ({
  schema: { ...schema, type: [schema.type, 'null'] },
  read: (value, name) => (value === null ? null : read(value, name)),
});

const timeRule = 'must be a timestamp such as 2024-05-17T12:00:00.000Z';
const timeSchema = {
  type: 'string',
  anyOf: [{ format: 'date-time' }, { format: 'date' }],
  description: 'ISO 8601. A date alone is midnight in UTC.',
};

export const timestamp: BodyField<string> = {
  schema: timeSchema,
  read(value, name) {
    const time = typeof value === 'string' ? timestampOf(value) : undefined;
    if (time === undefined) throw refuse(name, timeRule);
    return time;
  },
};

export const optional = <Value>(
  schema: Schema,
  read: (text: string, name: string) => Value,
): Parameter<Value | undefined> => ({
  schema,
  read: (text, name) => (text === undefined ? undefined : read(text, name)),
});

export const anyText = optional({ type: 'string' }, (text) => text);

export const timeParameter = optional(timeSchema, (text, name) => {
  const value = sortableTime(text);
  if (value === undefined) throw refuse(name, timeRule);
  return value;
});

interface IntegerRange {
  min: number;
  max: number;
  fallback: number;
  /** What to do with a larger number. */
  otherwise?: string;
}

export const integerParameter = ({
  min,
  max,
  fallback,
  otherwise = '',
}: IntegerRange): Parameter<number> => ({
  schema: { type: 'integer', minimum: min, maximum: max, default: fallback },
  read(text, name) {
    if (text === undefined) return fallback;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw refuse(name, `must be an integer from ${min} to ${max}${otherwise}`);
  },
});

export const choice = <Value>(values: Record<string, Value>) =>
  optional({ type: 'string', enum: Object.keys(values) }, (text, name) => {
    if (Object.hasOwn(values, text)) return values[text];
    throw refuse(name, `must be one of ${Object.keys(values).join(', ')}`);
  });
