import { isObject } from '../core/lib/json.ts';
import { hasLoneSurrogate } from '../core/lib/visible.ts';
import { HttpProblem } from './problem.ts';
import { timestampOf } from './store/timestamps.ts';

declare const type: unique symbol;

type TypeName = 'string' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/** A JSON Schema that carries the type of what it describes. OpenAPI shows it, and `check` holds a value against it. */
export interface Schema<Described = unknown> {
  readonly type?: TypeName | readonly TypeName[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: 'date-time' | 'uuid' | 'uri';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly $ref?: string;
  /** In UTF-8. */
  readonly 'x-max-bytes'?: number;
  /** What a refusal says instead of the rule that the other keywords make. */
  readonly 'x-rule'?: string;
  readonly [type]?: Described;
}

export type TypeOf<Some> = Some extends Schema<infer Described> ? Described : never;

type Fields = Record<string, Schema>;

type RecordWith<Required extends Fields, Optional extends Fields> = {
  [Name in keyof Required]: TypeOf<Required[Name]>;
} & { [Name in keyof Optional]?: TypeOf<Optional[Name]> };

export const textSchema: Schema<string> = { type: 'string' };
export const textOrNull: Schema<string | null> = { type: ['string', 'null'] };
export const integerSchema: Schema<number> = { type: 'integer' };
export const flag: Schema<boolean> = { type: 'boolean' };
export const momentSchema: Schema<string> = { type: 'string', format: 'date-time' };
/** As it may be sent. `check` makes it a time in UTC. */
export const timeSchema: Schema<string> = {
  ...momentSchema,
  description: 'RFC 3339: a time has its zone. A date alone, which is taken too, is midnight in UTC.',
};

export const oneOfSchema = <Word extends string>(words: readonly Word[]): Schema<Word> => ({
  type: 'string',
  enum: words,
});

export const described = <Described>(schema: Schema<Described>, description: string): Schema<Described> => ({
  ...schema,
  description,
});

const typesOf = ({ type: types = [] }: Schema): readonly TypeName[] => [types].flat();

export const orNull = <Described>(schema: Schema<Described>): Schema<Described | null> => ({
  ...schema,
  type: [...typesOf(schema), 'null'],
});

export const arrayOf = <Described>(items: Schema<Described>): Schema<Described[]> => ({
  type: 'array',
  items,
});

export function record<Required extends Fields, Optional extends Fields = Record<never, never>>(
  properties: Required,
  optional?: Optional,
): Schema<RecordWith<Required, Optional>> {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties: { ...properties, ...optional },
  };
}

export function refuse(field: string, rule: string, status: 400 | 413 = 400): HttpProblem {
  return new HttpProblem(status, `${field} ${rule}.`, { field });
}

type Kind = 'body' | 'query';

/** Returns the value without unknown fields and with times in UTC, or throws a refusal that names the place. */
export const check = <Described>(
  schema: Schema<Described>,
  value: unknown,
  kind: Kind = 'body',
  place = '',
): Described => checked(schema, value, kind, place) as Described;

function checked(schema: Schema, value: unknown, kind: Kind, place: string): unknown {
  const types = typesOf(schema);
  if (value === null && types.includes('null')) return null;
  if (typeof value === 'string' && types.includes('string')) return checkedText(schema, value, kind, place);
  if (isObject(value) && types.includes('object')) return checkedObject(schema, value, kind, place);
  const isRight =
    (typeof value === 'boolean' && types.includes('boolean')) ||
    (typeof value === 'number' && types.includes('integer') && isInteger(schema, value));
  if (!isRight) throw refuse(place, ruleOf(schema));
  return value;
}

const isInteger = ({ minimum, maximum }: Schema, value: number): boolean =>
  Number.isSafeInteger(value) &&
  value >= (minimum ?? Number.NEGATIVE_INFINITY) &&
  value <= (maximum ?? Number.POSITIVE_INFINITY);

const typeWords: Record<TypeName, string> = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

function ruleOf(schema: Schema): string {
  if (schema['x-rule'] !== undefined) return schema['x-rule'];
  if (schema.format === 'date-time') return 'must be a timestamp such as 2024-05-17T12:00:00.000Z';
  if (schema.enum) return `must be one of ${schema.enum.join(', ')}`;
  const types = typesOf(schema).filter((each) => each !== 'null');
  return `must be ${types.map((each) => typeWords[each] + rangeOf(schema)).join(' or ')}`;
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`;
}

function checkedText(schema: Schema, value: string, kind: Kind, place: string): string {
  const { minLength = 0, maxLength, pattern, format, 'x-max-bytes': mostBytes } = schema;
  if (hasLoneSurrogate(value)) throw refuse(place, 'must not contain an unpaired surrogate');
  if (mostBytes !== undefined && Buffer.byteLength(value) > mostBytes)
    throw refuse(place, `must have at most ${mostBytes} bytes of UTF-8`);
  if (maxLength !== undefined && value.length > maxLength && charactersIn(value) > maxLength)
    throw refuse(place, `must have at most ${maxLength} characters`, kind === 'body' ? 413 : 400);
  if (value.length < minLength) throw refuse(place, 'must not be empty');
  if (schema.enum?.includes(value) === false) throw refuse(place, ruleOf(schema));
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) throw refuse(place, ruleOf(schema));
  if (format !== 'date-time') return value;
  const time = timestampOf(value);
  if (time === undefined) throw refuse(place, ruleOf(schema));
  return time;
}

/** As `maxLength` in JSON Schema counts them. */
const charactersIn = (text: string): number => text.length - (text.match(/[\uD800-\uDBFF]/g)?.length ?? 0);

function checkedObject(
  { properties, required = [] }: Schema,
  value: Record<string, unknown>,
  kind: Kind,
  place: string,
): Record<string, unknown> {
  if (!properties) return value;
  const placeOf = (name: string) => (place === '' ? name : `${place}.${name}`);
  const entries = Object.entries(properties).flatMap(([name, schema]) => {
    const filled = value[name] === undefined ? schema.default : value[name];
    if (filled === undefined && !required.includes(name)) return [];
    return [[name, checked(schema, filled, kind, placeOf(name))] as const];
  });
  return Object.fromEntries(entries);
}

/** A query has texts alone. What is no number or flag is left to `check`. */
export function checkQuery<Described>(schema: Schema<Described>, given: URLSearchParams): Described {
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const [value, ...others] = given.getAll(name);
    if (others.length > 0) throw refuse(name, 'must be given once');
    return value === undefined ? [] : [[name, typedValue(property, value)] as const];
  });
  return check(schema, Object.fromEntries(entries), 'query');
}

function typedValue(schema: Schema, text: string): unknown {
  const types = typesOf(schema);
  if (types.includes('integer')) return /^\d+$/.test(text) ? Number(text) : text;
  if (types.includes('boolean') && ['true', 'false'].includes(text)) return text === 'true';
  return text;
}
