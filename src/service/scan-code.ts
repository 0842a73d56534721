import { isLoopback } from '../core/settings/addresses.ts';

/** The colour of a token, which is also its class in the style: comment, keyword, string, number, call, type. */
export type TokenKind = 'c' | 'k' | 's' | 'n' | 'f' | 't';

export interface Token {
  text: string;
  kind: TokenKind | undefined;
}

const setOf = (text: string) => new Set(text.split(' '));
const keywords = setOf(
  'await break case catch class const continue debugger default delete do else enum export extends finally for ' +
    'function if import in instanceof interface let new return switch throw try typeof var void while with yield',
);

/** Keywords only if another word, a string or a bracket follows. */
const contextualKeywords = setOf(
  'abstract as async declare from get implements infer is keyof namespace of private protected public readonly ' +
    'satisfies set static type',
);
const values = setOf('this super null undefined true false');

// Each of these patterns takes time in proportion to what it reads, and what it reads is not read again by the next
// token: hostile code could otherwise keep the service from answering others.

/** An apostrophe after a letter ("don't", in the text of JSX) begins no string. */
const token = new RegExp(
  [
    String.raw`\/\/[^\n]*|\/\*.*?(?:\*\/|$)`,
    String.raw`"(?:[^"\\\n]|\\.)*"?`,
    String.raw`(?<!\p{L})'(?:[^'\\\n]|\\.)*'?`,
    '`(?:[^`\\\\]|\\\\.)*`?',
    String.raw`[\p{L}_$][\p{L}\p{N}_$]*`,
    String.raw`\d[\w.]*|\s+|.`,
  ].join('|'),
  'suy',
);
const beginOfRegExp = /(?<=(?:^|[=(,:;!&|?{}[\n]|return)[ \t]{0,20})\//y;
const regExp = /\/(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/y;
const wordAfterSpace = /\s+[\p{L}_$'"{[(*#`]/uy;

/** All of the code, token by token. It is a guess at what the code means, as no parser reads code with mistakes. */
export function* tokensOf(code: string): Generator<Token> {
  /** No regular expression ends before this place: it is looked for once a line. */
  let noRegExpBefore = 0;
  for (let at = 0, end = 0; at < code.length; at = end) {
    end = endOfMatch(token, code, at) ?? at + 1;
    if (code[at] === '/' && end === at + 1 && at >= noRegExpBefore && endOfMatch(beginOfRegExp, code, at)) {
      const endOfRegExp = endOfMatch(regExp, code, at);
      if (endOfRegExp !== undefined) {
        end = endOfRegExp;
        yield { text: code.slice(at, end), kind: 's' };
        continue;
      }
      const endOfLine = code.indexOf('\n', at);
      noRegExpBefore = endOfLine < 0 ? code.length : endOfLine;
    }
    yield { text: code.slice(at, end), kind: kindOf(code, at, end) };
  }
}

function kindOf(code: string, at: number, end: number): TokenKind | undefined {
  const first = code[at] ?? '';
  if (/["'`/]/.test(first)) {
    if (end === at + 1) return undefined;
    return first === '/' ? 'c' : 's';
  }
  if (/\d/.test(first)) return 'n';
  return /^[\p{L}_$]/u.test(code.slice(at, at + 2)) ? kindOfWord(code, at, end) : undefined;
}

function kindOfWord(code: string, at: number, end: number): TokenKind | undefined {
  const word = code.slice(at, end);
  const isProperty = code[at - 1] === '.' && code[at - 2] !== '.';
  if (!isProperty) {
    if (keywords.has(word)) return 'k';
    if (values.has(word)) return 'n';
    if (contextualKeywords.has(word) && endOfMatch(wordAfterSpace, code, end)) return 'k';
  }
  if (code[end] === '(') return 'f';
  return /^\p{Lu}/u.test(word) ? 't' : undefined;
}

/** Where the match of a sticky pattern ends that begins at this place. */
function endOfMatch(pattern: RegExp, code: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(code) ? pattern.lastIndex : undefined;
}

/** Of a val's module or page, below a space or not, with and without a version. */
const valPath = /^(?:\/@[\w-]+)?(?:\/v1)?\/vals\/([\w-]{1,64})(?:\/versions\/\d+)?(?:\/(?:module|raw))?\/?$/;

/** What the code imports, each once: after `from`, `import` or `import(`, but not in comments or other strings. */
function importsIn(code: string): string[] {
  const found = new Set<string>();
  let before = '';
  for (const { text, kind } of tokensOf(code)) {
    if (kind === 'c' || text.trim() === '') continue;
    if (kind === 's' && ['from', 'import', 'import('].includes(before)) found.add(text.slice(1, -1));
    if (text === '(' && before === 'import') before = 'import(';
    // `x.import` is no keyword.
    else before = text === 'import' && kind !== 'k' ? '' : text;
  }
  return [...found];
}

/** The id of the val that the address of a module or page names. Without `origin`, on any service. */
export function valIdIn(specifier: string, origin?: string): string | undefined {
  if (!/^https?:/.test(specifier) || !URL.canParse(specifier)) return undefined;
  const address = new URL(specifier);
  if (origin !== undefined && !isSameService(address, new URL(origin))) return undefined;
  return valPath.exec(address.pathname)?.[1];
}

/** A loopback port may be forwarded, and that of `--local` changes with each command. */
const isSameService = (one: URL, other: URL): boolean =>
  one.origin === other.origin || (isLoopback(one.hostname) && isLoopback(other.hostname));

/** The ids of the vals that the code imports by their addresses. Few codes have one, and only those are scanned. */
export function importedIds(code: string, origin?: string): string[] {
  if (!code.includes('/vals/')) return [];
  return [...new Set(importsIn(code).flatMap((specifier) => valIdIn(specifier, origin) ?? []))];
}
