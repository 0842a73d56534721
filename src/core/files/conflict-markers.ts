/**
 * The lines that git and `vals pull --merge` write around a conflict, in the order in which they stand in a file.
 * If both sides renamed and changed the file, git writes eight and more of each sign.
 */
const markerLines = [/^<{7,} /m, /^={7,}\r?$/m, /^>{7,} /m];

/** Does not split the text, because the lines of a large file would fill the memory. */
export function hasConflictMarkers(text: string): boolean {
  let rest = text;
  return markerLines.every((line) => {
    const at = rest.search(line);
    rest = rest.slice(at + 1);
    return at >= 0;
  });
}
