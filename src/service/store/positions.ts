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

/** Where a page of a list ended, as an opaque text for `links.next`. */
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

function positionsOf<Position extends readonly Part[]>(
  list: string,
  isPosition: (parts: readonly unknown[]) => parts is Position,
): Positions<Position> {
  const write = (position: readonly unknown[]): string =>
    Buffer.from(JSON.stringify([list, ...position])).toString('base64url');
  return {
    write,
    read(text) {
      const parsed = parse(Buffer.from(text, 'base64url').toString());
      const position: readonly unknown[] = Array.isArray(parsed) ? parsed.slice(1) : [];
      return isPosition(position) && write(position) === text ? position : undefined;
    },
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export type NumberPosition = readonly [number];

const isOneNumber = (parts: readonly unknown[]): parts is NumberPosition =>
  parts.length === 1 && Number.isSafeInteger(parts[0]) && Number(parts[0]) >= 0;

export const valPositions = positionsOf('vals', isOneNumber);

export const versionPositions = positionsOf('versions', isOneNumber);

/** A time, and a number that decides the order of what was at that time. */
export type TimePosition = readonly [at: number, tie: number];

const isTwoNumbers = (parts: readonly unknown[]): parts is TimePosition =>
  parts.length === 2 && parts.every((part) => Number.isSafeInteger(part));

export const runPositions = positionsOf('runs', isTwoNumbers);

export const referencePositions = positionsOf('references', isTwoNumbers);

/** In a list of vals whose last change comes first. */
export type ChangePosition = readonly [updatedAt: string, position: number];

const isTextAndNumber = (parts: readonly unknown[]): parts is ChangePosition =>
  parts.length === 2 && /^[\d:.TZ-]{0,30}$/.test(`${parts[0]}`) && isOneNumber(parts.slice(1));

export const changePositions = positionsOf('changes', isTextAndNumber);
