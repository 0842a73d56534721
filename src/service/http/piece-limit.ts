// Limits the number of small pieces in which a body arrives: parsing a piece takes time, even if it has only one byte.

/** A shorter piece is small. It also takes about this much memory, because each piece is an object. */
export const smallPiece = 256;
const mostSmallPieces = 4_096;

export interface PieceLimit {
  count(piece: Buffer): void;
  isExceeded(): boolean;
}

/** Creates the limit of one request. */
export function createPieceLimit(): PieceLimit {
  let count = 0;
  return {
    isExceeded: () => count > mostSmallPieces,
    count(piece) {
      if (piece.length < smallPiece) count += 1;
    },
  };
}
