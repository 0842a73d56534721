// The kinds behind the exit codes of a request, written down apart from src.
export const kinds: Record<number, string> = {
  3: 'not_found',
  4: 'auth',
  5: 'conflict',
  6: 'refused',
  7: 'unavailable',
  8: 'unknown_outcome',
  11: 'bad_response',
};
