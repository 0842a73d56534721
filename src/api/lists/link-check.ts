// Notices that the links of a list lead in a circle of any length, with Brent's algorithm: it keeps a single link.

export function createLinkCheck() {
  let kept: string | undefined;
  let countSinceKept = 0;
  let mostSinceKept = 1;
  return {
    /** Called with each link in turn. In a circle, the answer is true after at most three rounds. */
    isRepeated(query: URLSearchParams): boolean {
      const link = query.toString();
      if (link === kept) return true;
      countSinceKept += 1;
      if (countSinceKept < mostSinceKept) return false;
      kept = link;
      countSinceKept = 0;
      mostSinceKept *= 2;
      return false;
    },
  };
}
