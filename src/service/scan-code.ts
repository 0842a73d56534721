/** The colour of a token, which is also its class in the style: comment, keyword, string, number, call, type. */
export type TokenKind = 'c' | 'k' | 's' | 'n' | 'f' | 't';

export interface Token {
  text: string;
  kind: TokenKind | undefined;
}

const wordsOf = (text: string) => text.split(' ').join('|');
const keywords = wordsOf(
  'await break case catch class const continue debugger default delete do else enum export extends finally for ' +
    'function if import in instanceof interface let new return switch throw try typeof var void while with yield',
);
/** Keywords only if another word, a string or a bracket follows. */
const contextual = wordsOf(
  'abstract as async declare from get implements infer is keyof namespace of private protected public readonly ' +
    'satisfies set static type',
);
const values = wordsOf('this super null undefined true false');

const name = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const wordEnd = String.raw`(?![\p{L}\p{N}_$])`;

/**
 * One token. No part may take more than linear time, because hostile code could otherwise block the service: so a regular
 * expression in the code has a limit. An apostrophe after a letter ("don't", in the text of JSX) begins no string.
 */
const parts: Record<string, string> = {
  c: String.raw`\/\/[^\n]*|\/\*.*?(?:\*\/|$)`,
  s: [
    String.raw`"(?:[^"\\\n]|\\.)*"?`,
    String.raw`(?<!\p{L})'(?:[^'\\\n]|\\.)*'?`,
    '`(?:[^`\\\\]|\\\\.)*`?',
    String.raw`(?<=(?:^|[=(,:;!&|?{}\[\n]|return)[ \t]{0,20})\/(?:[^/\\[\n*]|\\.|\[(?:[^\]\\\n]|\\.){0,100}\]){1,200}\/[a-z]*`,
  ].join('|'),
  k: String.raw`(?<!(?<!\.)\.)(?:(?:${keywords})${wordEnd}|(?:${contextual})(?=\s+[\p{L}_$'"{[(*#${'`'}]))`,
  n: String.raw`(?<!(?<!\.)\.)(?:${values})${wordEnd}|\d[\w.]*`,
  f: String.raw`${name}(?=\()`,
  t: String.raw`\p{Lu}[\p{L}\p{N}_$]*`,
};
const groups = Object.entries(parts).map(([kind, pattern]) => `(?<${kind}>${pattern})`);
const token = new RegExp([...groups, name, String.raw`\s+`, '.'].join('|'), 'suy');

/** So that a scan takes a tenth of a second, in which nobody is answered, and a browser shows all of them at once. */
const mostTokens = 50_000;

/**
 * All of the code, token by token; what follows the last of `mostTokens` is one token without a kind. It is a guess at what
 * the code means, as no parser reads code with mistakes.
 */
export function* tokensOf(code: string): Generator<Token> {
  token.lastIndex = 0;
  let at = 0;
  for (let count = 0; count < mostTokens && at < code.length; count++) {
    token.lastIndex = at;
    const { 0: text, groups = {} } = token.exec(code) ?? { 0: code.slice(at) };
    at += text.length;
    yield { text, kind: kinds.find((kind) => groups[kind] !== undefined) };
  }
  if (at < code.length) yield { text: code.slice(at), kind: undefined };
}

const kinds = ['c', 'k', 's', 'n', 'f', 't'] as const satisfies readonly TokenKind[];
