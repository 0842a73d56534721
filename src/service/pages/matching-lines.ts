/** The first line of a val's code that contains the text of a search. */
export interface MatchingLine {
  number: number;
  before: string;
  match: string;
  after: string;
}

/** By the id of the val. A val that was found by its name alone has none. */
export type MatchingLines = ReadonlyMap<string, MatchingLine>;

const mostAround = 80;

/** The search compares code letter by letter. A long line is cut around the text. */
export function matchingLine(code: string, text: string): MatchingLine | undefined {
  const at = code.indexOf(text);
  if (at < 0) return undefined;
  const start = at === 0 ? 0 : code.lastIndexOf('\n', at - 1) + 1;
  const end = code.indexOf('\n', at);
  const line = code.slice(start, end < at ? undefined : end);
  const from = at - start;
  const to = from + text.length;
  return {
    number: code.slice(0, at).split('\n').length,
    before: (from > mostAround ? '…' : '') + line.slice(Math.max(0, from - mostAround), from).trimStart(),
    match: line.slice(from, to),
    after: line.slice(to, to + mostAround).trimEnd() + (line.length > to + mostAround ? '…' : ''),
  };
}
