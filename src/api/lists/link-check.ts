/** Finds a circle of links with Brent's algorithm, because keeping all links would take too much memory. */
export function createLinkCheck() {
  let kept: string | undefined;
  let countSinceKept = 0;
  let mostSinceKept = 1;
  return {
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
