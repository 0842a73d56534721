// The table is not imported from src, so that the tests notice a wrong change in src.
export const kinds: Record<number, string> = {
  3: 'not_found',
  4: 'auth',
  5: 'conflict',
  6: 'refused',
  7: 'unavailable',
  8: 'unknown_outcome',
  11: 'bad_response',
};
