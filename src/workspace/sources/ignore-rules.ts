// Matches paths with the lines of an ignore file. The library `ignore` matches all lines but those with several `**`: it
// turns such a line into a regular expression that may need hours for a deep path. Unlike in git, a line with `!` and
// several `**` includes files again, but not the folders that an earlier line excluded.
import ignore from 'ignore';

export interface Matcher {
  /** The path of a folder ends with /. */
  test(path: string): { ignored: boolean; unignored: boolean };
}

export function createMatcher(text: string): Matcher {
  const matchers: Matcher[] = [];
  let lines: string[] = [];
  const addLines = () => {
    if (lines.length > 0) matchers.push(libraryMatcher(lines.join('\n')));
    lines = [];
  };
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    if (hasSeveralDoubleStars(line)) {
      addLines();
      matchers.push(doubleStarMatcher(line));
    } else lines.push(line);
  }
  addLines();
  return {
    // As in git, the last line that matches decides.
    test: (path) =>
      matchers
        .map((matcher) => matcher.test(path))
        .findLast(({ ignored, unignored }) => ignored || unignored) ?? noMatch,
  };
}

const noMatch = { ignored: false, unignored: false };

const libraryMatcher = (text: string): Matcher => ignore({ ignorecase: false }).add(text);

const isDoubleStar = (part: string): boolean => /^\*{2,}$/.test(part);

const hasSeveralDoubleStars = (line: string): boolean =>
  !line.startsWith('#') && partsOf(line).filter(isDoubleStar).length > 1;

const partsOf = (line: string): string[] =>
  line
    .replace(/(?<!\\)[ \t]+$/, '')
    .replace(/^!?\/?/, '')
    .replace(/\/$/, '')
    .split('/');

/** Takes time in proportion to the length of the line and of the path. */
function doubleStarMatcher(line: string): Matcher {
  const isNegated = line.startsWith('!');
  const isForFolders = /\/[ \t]*$/.test(line);
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
  /** Whether the parts so far match the first names, by the number of names. */
  let reached = [true, ...names.map(() => false)];
  for (const [index, part] of parts.entries()) {
    if (typeof part !== 'string') {
      reached = [false, ...names.map((name, at) => reached[at] === true && part.test(name).ignored)];
      continue;
    }
    const first = reached.indexOf(true);
    if (first === -1) return false;
    // At the end of a line, `**` stands for at least one name. Elsewhere it stands for any number of names.
    const from = index === parts.length - 1 ? first + 1 : first;
    reached = reached.map((_, at) => at >= from);
  }
  return reached.at(-1) === true;
}
