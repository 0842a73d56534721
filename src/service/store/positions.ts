type Part = string | number;

/** Which part of a list is wanted. */
export interface Range<Position> {
  limit: number;
  offset?: number | undefined;
  /** Where the previous page ended, which counts more than an offset. */
  after?: Position | undefined;
}

/** A part of a list, each item with its position. */
export interface ListPart<Item, Position> {
  items: { item: Item; position: Position }[];
  more: boolean;
}

/** Where a page of a list ended, as a text for `links.next`: its numbers, or a time and a number. */
export interface Positions<Position extends readonly Part[]> {
  write(position: Position): string;
  read(text: string): Position | undefined;
}

/** Where the next page begins, for its address. */
export function nextOf<Position extends readonly Part[]>(
  { items, more }: ListPart<unknown, Position>,
  positions: Positions<Position>,
): string | undefined {
  const last = more ? items.at(-1) : undefined;
  return last && positions.write(last.position);
}

const positionsOf = <Position extends readonly Part[]>(
  form: RegExp,
  parse: (parts: readonly string[]) => Position,
): Positions<Position> => ({
  write: (position) => position.join('_'),
  read: (text) => (form.test(text) ? parse(text.split('_')) : undefined),
});

export type NumberPosition = readonly [number];

/** Of vals and versions. */
export const numberPositions = positionsOf<NumberPosition>(/^\d{1,16}$/, ([number]) => [Number(number)]);

/** A time, and a number that decides the order of what was at that time. */
export type TimePosition = readonly [at: number, tie: number];

/** Of runs and references. */
export const timePositions = positionsOf<TimePosition>(/^-?\d{1,16}_\d{1,16}$/, ([at, tie]) => [
  Number(at),
  Number(tie),
]);

/** In a list of vals whose last change comes first. */
export type ChangePosition = readonly [updatedAt: string, position: number];

export const changePositions = positionsOf<ChangePosition>(
  /^[\d:.TZ-]{1,30}_\d{1,16}$/,
  ([at = '', number]) => [at, Number(number)],
);
