// A position says where a page of a list ends. The link to the next page contains the position as text.
import { createHash } from 'node:crypto';

type Part = string | number;

/**
 * The text of a position has a checksum, so that a text that was cut, edited or made for another list is refused. A
 * signature is not needed: a position contains no secret, and for every position, a page shows only records that the
 * caller may see.
 */
export interface Positions<Position extends readonly Part[]> {
  /** `before` is the number of records before the position. */
  write(position: Position, before: number): string;
  /** Returns undefined if the text is not a position of this kind of list. */
  read(text: string): { position: Position; before: number } | undefined;
}

/** `list` names the kind of list. A position of one kind is refused for another kind. */
export function positionsOf<Position extends readonly Part[]>(
  list: string,
  isPosition: (parts: readonly unknown[]) => parts is Position,
): Positions<Position> {
  const write = (position: readonly unknown[], before: number): string => {
    const json = JSON.stringify([before, ...position]);
    const checksum = createHash('sha256').update(`${list} ${json}`).digest('base64url').slice(0, 8);
    return `${checksum}${Buffer.from(json).toString('base64url')}`;
  };
  return {
    write,
    read(text) {
      const parts = parse(Buffer.from(text.slice(8), 'base64url').toString());
      if (!Array.isArray(parts)) return undefined;
      const [before, ...position] = parts;
      if (!Number.isSafeInteger(before) || !isPosition(position)) return undefined;
      return write(position, before) === text ? { position, before } : undefined;
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

/** Returns true for a text that can be a time, a name or an id. */
export const isWord = (part: unknown): part is string =>
  typeof part === 'string' && /^[\w:.~-]{0,64}$/.test(part);
