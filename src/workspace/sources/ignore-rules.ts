import ignore from 'ignore';

export interface Matcher {
  test(path: string): { ignored: boolean; unignored: boolean };
}

export function createMatcher(text: string): Matcher {
  const matchers: Matcher[] = [];
  let lines: string[] = [];
  const addLines = () => {
    if (lines.length > 0) matchers.push(libraryMatcher(lines.join('\n')));
    lines = [];
  };
  const rules = text.replace(/^\ufeff/, '').split(/\r?\n|\r$/);
  for (const line of rules.map(asGitReadsIt)) {
    if (hasSeveralDoubleStars(line)) {
      addLines();
      matchers.push(doubleStarMatcher(line));
    } else lines.push(line);
  }
  addLines();
  return {
    test: (path) =>
      matchers
        .map((matcher) => matcher.test(path))
        .findLast(({ ignored, unignored }) => ignored || unignored) ?? noMatch,
  };
}

/** A rule with several `**` counts once for each part, because `doubleStarMatcher` makes a matcher for each part. */
export function countRules(text: string): number {
  let count = 0;
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    count += hasSeveralDoubleStars(line) ? partsOf(line).length : 1;
  }
  return count;
}

/**
 * Git ends a line at a zero byte, and a byte order mark or a carriage return is a part of the name. The library removes
 * them, so a stranger's exception (`!name`) that git does not see would apply.
 */
const asGitReadsIt = (line: string): string => line.replace(/\0.*/s, '').replace(/^\ufeff|\r$/g, '[$&]');

const noMatch = { ignored: false, unignored: false };

const libraryMatcher = (text: string): Matcher => ignore({ ignorecase: false }).add(text);

const isDoubleStar = (part: string): boolean => /^\*{2,}$/.test(part);

const hasSeveralDoubleStars = (line: string): boolean =>
  !line.startsWith('#') && partsOf(line).filter(isDoubleStar).length > 1;

const partsOf = (line: string): string[] =>
  line
    .replace(/(?<!\\) +$/, '')
    .replace(/^!?\/?/, '')
    .replace(/\/$/, '')
    .split('/');

/** Handles a rule with several `**`, because the library `ignore` could take hours for such a rule. */
function doubleStarMatcher(line: string): Matcher {
  const isNegated = line.startsWith('!');
  const isForFolders = /\/ *$/.test(line);
  const parts = partsOf(line).map((part) =>
    isDoubleStar(part) ? part : libraryMatcher(part === '' ? '' : `/${part}`),
  );
  return {
    test(path) {
      const names = path.replace(/\/$/, '').split('/');
      if ((isForFolders && !path.endsWith('/')) || !matchesNames(parts, names)) return noMatch;
      return { ignored: !isNegated, unignored: isNegated };
    },
  };
}

function matchesNames(parts: readonly (string | Matcher)[], names: readonly string[]): boolean {
  let reached = [true, ...names.map(() => false)];
  for (const [index, part] of parts.entries()) {
    if (typeof part !== 'string') {
      reached = [false, ...names.map((name, at) => reached[at] === true && part.test(name).ignored)];
      continue;
    }
    const first = reached.indexOf(true);
    if (first === -1) return false;
    const from = index === parts.length - 1 ? first + 1 : first;
    reached = reached.map((_, at) => at >= from);
  }
  return reached.at(-1) === true;
}
