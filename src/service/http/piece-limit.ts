// Limits the number of small pieces in which a body arrives: parsing a piece takes time, even if it has only one byte.

/** A shorter piece is small. It also takes about this much memory, because each piece is an object. */
export const smallPiece = 256;
const mostSmallPieces = 4_096;

interface PieceLimit {
  isExceededBy(piece: Buffer): boolean;
}

export function createPieceLimit(): PieceLimit {
  let count = 0;
  return {
    isExceededBy(piece) {
      if (piece.length < smallPiece) count += 1;
      return count > mostSmallPieces;
    },
  };
}
