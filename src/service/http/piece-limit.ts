// Limits the number of small pieces in which a body arrives, because parsing takes time even for a piece of one byte.

/**
 * A piece with fewer bytes is small. Even the smallest piece takes about this many bytes of memory, because it is an
 * object.
 */
export const smallPiece = 256;
const mostSmallPieces = 4_096;

export interface PieceLimit {
  count(piece: Buffer): void;
  isExceeded(): boolean;
}

/** Each request needs its own limit. */
export function createPieceLimit(): PieceLimit {
  let count = 0;
  return {
    isExceeded: () => count > mostSmallPieces,
    count(piece) {
      if (piece.length < smallPiece) count += 1;
    },
  };
}
