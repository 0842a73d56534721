export const smallPieceBytes = 256;
const mostSmallPieces = 4_096;

export interface PieceLimit {
  count(piece: Buffer): void;
  isExceeded(): boolean;
}

export function createPieceLimit(): PieceLimit {
  let count = 0;
  return {
    isExceeded: () => count > mostSmallPieces,
    count(piece) {
      if (piece.length < smallPieceBytes) count += 1;
    },
  };
}
