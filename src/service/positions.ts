// Where a page of a list ended, as the link to the next page carries it.
import { createHash } from 'node:crypto';

type Part = string | number;

/**
 * A position says nothing that its caller may not know, and a page shows the caller's own records whatever position was
 * given. So it has a checksum and no signature: a text that was cut, edited or made for another list is refused, and
 * processes need no common key.
 */
export interface Positions<Position extends readonly Part[]> {
  /** `before`: how many records of the list come before it. */
  write(position: Position, before: number): string;
  /** Undefined for a text that no link has. */
  read(text: string): { position: Position; before: number } | undefined;
}

/** `list` is a word for the order of the list. */
export function positionsOf<Position extends readonly Part[]>(
  list: string,
  isPosition: (parts: readonly unknown[]) => boolean,
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
      const isOurs = Number.isSafeInteger(before) && isPosition(position) && write(position, before) === text;
      return isOurs ? { position: position as unknown as Position, before } : undefined;
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

/** A time, a name or an id. */
export const isWord = (part: unknown): part is string =>
  typeof part === 'string' && /^[\w:.~-]{0,64}$/.test(part);
