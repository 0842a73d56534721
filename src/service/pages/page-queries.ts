import { longestSearch } from '../limits.ts';
import { notTooLong, parseVersion, position } from '../routes/checks.ts';
import { choice, optional, query } from '../routes/fields.ts';
import { changePositions, recordPositions, valPositions, versionPositions } from '../store/positions.ts';

// The parameters of the pages. Each of them may be absent.

const anyText = optional({ type: 'string' }, (text) => text);

export const homeQuery = query({ after: position(changePositions) });

export const searchQuery = query({
  q: optional({ type: 'string', maxLength: longestSearch }, notTooLong),
  after: position(valPositions),
});

export const valQuery = query({ versions: position(versionPositions) });

export const versionQuery = query({ from: optional({ type: 'integer', minimum: 0 }, parseVersion) });

export const runsQuery = query({
  val: anyText,
  error: choice({ true: 'failed', false: 'passed' } as const),
  after: position(recordPositions),
});

export const signInQuery = query({ next: anyText, key: anyText });

export const pageLinkQuery = query({ val: anyText });
