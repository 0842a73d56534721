import { createHash } from 'node:crypto';
import { Problem } from '../problem.ts';

type Part = string | number;

export interface Positions<Position extends readonly Part[]> {
  write(position: Position, recordsBefore: number): string;
  read(text: string): { position: Position; recordsBefore: number } | undefined;
}

export function positionsOf<Position extends readonly Part[]>(
  list: string,
  isPosition: (parts: readonly unknown[]) => parts is Position,
): Positions<Position> {
  const write = (position: readonly unknown[], recordsBefore: number): string => {
    const json = JSON.stringify([recordsBefore, ...position]);
    // The checksum needs no secret key, because a forged position grants no access.
    const checksum = createHash('sha256').update(`${list} ${json}`).digest('base64url').slice(0, 8);
    return `${checksum}${Buffer.from(json).toString('base64url')}`;
  };
  return {
    write,
    read(text) {
      const parts = parse(Buffer.from(text.slice(8), 'base64url').toString());
      if (!Array.isArray(parts)) return undefined;
      const [recordsBefore, ...position] = parts;
      if (!Number.isSafeInteger(recordsBefore) || !isPosition(position)) return undefined;
      return write(position, recordsBefore) === text ? { position, recordsBefore } : undefined;
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

export const isTimeNameOrId = (part: unknown): part is string =>
  typeof part === 'string' && /^[\w:.~-]{0,64}$/.test(part);

export const mostSkipped = 100_000;

/** Limits the offset in a long list, because the database reads all rows before it at once, and others wait meanwhile. */
export async function checkOffset(offset: number, rowsFrom: (offset: number) => Promise<unknown[]>) {
  if (offset <= mostSkipped) return;
  const rows = await rowsFrom(mostSkipped);
  if (rows.length === 0) return;
  throw new Problem(
    400,
    `The list is too long for the query parameter "offset" with a value above ${mostSkipped}. Follow links.next instead.`,
  );
}
