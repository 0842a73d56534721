/** The colour of a token, which is also its class in the style: comment, keyword, string, number, call, type. */
export type TokenKind = 'c' | 'k' | 's' | 'n' | 'f' | 't';

const wordsOf = (text: string) => new Set(text.split(' '));
const keywords = wordsOf(
  'await break case catch class const continue debugger default delete do else enum export extends finally for ' +
    'function if import in instanceof interface let new return switch throw try typeof var void while with yield',
);
/** Words that are keywords only if another word or a bracket follows. */
const contextual = wordsOf(
  'abstract as async declare from get implements infer is keyof namespace of private protected public readonly ' +
    'satisfies set static type',
);
const values = wordsOf('this super null undefined true false');
/** After these words a slash begins a regular expression. */
const precedesExpression = wordsOf(
  'await case default delete do else extends in instanceof new of return throw typeof void yield',
);

/** No pattern may take more than linear time, because hostile code could otherwise block the service. */
const space = /\s+/uy;
const comment = /\/\/[^\n]*|\/\*.*?(?:\*\/|$)/suy;
const string = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?/suy;
const number = /\d[\w.]*/uy;
const word = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const beforeWord = /\s+[\p{L}_$'"`{[(*#]/uy;
const regularExpression = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/uy;
const templateText = /(?:[^`\\$]|\\.|\$(?!\{))+/suy;
/** Of "don't" in the text of JSX, which begins no string. */
const apostrophe = /'(?=\p{L})/uy;
/** So that a scan takes a tenth of a second, in which nobody is answered, and a browser shows all of them at once. */
const mostTokens = 50_000;

type Place = { in: 'code'; braces: number } | { in: 'template' };

interface Scan {
  text: string;
  at: number;
  /** Where the scan is: code in a template in code, and so on. */
  places: Place[];
  mayBeginExpression: boolean;
  afterDot: boolean;
  /** The line with this end has a slash after which no regular expression begins. */
  noExpressionBefore: number;
}

type Token = [length: number, kind?: TokenKind];

/**
 * Hands on all of the text, token by token; what follows the last of `mostTokens` is one token without a kind. It is a
 * guess at what the code means, as no parser reads code with mistakes. It knows nothing of JSX.
 */
export function scanCode(text: string, add: (token: string, kind: TokenKind | undefined) => void): void {
  const scan: Scan = {
    text,
    at: 0,
    places: [{ in: 'code', braces: 0 }],
    mayBeginExpression: true,
    afterDot: false,
    noExpressionBefore: 0,
  };
  for (let tokens = 0; scan.at < text.length; tokens++) {
    const [length, kind] = tokens < mostTokens ? nextToken(scan) : [text.length];
    add(text.slice(scan.at, scan.at + length), kind);
    scan.at += length;
  }
}

function nextToken(scan: Scan): Token {
  const place = scan.places.at(-1) ?? { in: 'code', braces: 0 };
  return place.in === 'code' ? codeToken(scan, place) : templateToken(scan);
}

/** How many characters the pattern matches here. */
function lengthOf(pattern: RegExp, { text, at }: Scan, from = at): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - from : 0;
}

const enter = (scan: Scan, place: Place): void => {
  scan.places.push(place);
  scan.mayBeginExpression = true;
};

const leave = (scan: Scan): void => {
  scan.places.pop();
  scan.mayBeginExpression = false;
};

function templateToken(scan: Scan): Token {
  if (scan.text[scan.at] === '`') {
    leave(scan);
    return [1, 's'];
  }
  if (scan.text.startsWith('${', scan.at)) {
    enter(scan, { in: 'code', braces: 0 });
    return [2];
  }
  return [lengthOf(templateText, scan) || 1, 's'];
}

function codeToken(scan: Scan, place: { braces: number }): Token {
  const { text, at, mayBeginExpression } = scan;
  const blank = lengthOf(space, scan);
  if (blank > 0) return [blank];
  const commented = lengthOf(comment, scan);
  if (commented > 0) return [commented, 'c'];
  const named = lengthOf(word, scan);
  if (named > 0) return wordToken(scan, named);
  const isAfterDot = scan.afterDot;
  scan.afterDot = text[at] === '.' && text[at - 1] !== '.';
  scan.mayBeginExpression = false;
  const quoted = lengthOf(string, scan);
  if (quoted > 0) return [quoted, 's'];
  const digits = isAfterDot ? 0 : lengthOf(number, scan);
  if (digits > 0) return [digits, 'n'];
  return signToken(scan, place, mayBeginExpression);
}

function wordToken(scan: Scan, length: number): Token {
  const { text, at, afterDot } = scan;
  const name = text.slice(at, at + length);
  scan.mayBeginExpression = !afterDot && precedesExpression.has(name);
  scan.afterDot = false;
  if (!afterDot) {
    if (values.has(name)) return [length, 'n'];
    const isKeyword =
      keywords.has(name) || (contextual.has(name) && lengthOf(beforeWord, scan, at + length) > 0);
    if (isKeyword) return [length, 'k'];
  }
  if (text[at + length] === '(') return [length, 'f'];
  const withApostrophe = contextual.has(name) ? length : length + lengthOf(apostrophe, scan, at + length);
  return [withApostrophe, /^\p{Lu}/u.test(name) ? 't' : undefined];
}

function signToken(scan: Scan, place: { braces: number }, mayBeginExpression: boolean): Token {
  const { text, at, places } = scan;
  switch (text[at]) {
    case '`':
      enter(scan, { in: 'template' });
      return [1, 's'];
    case '{':
      place.braces += 1;
      scan.mayBeginExpression = true;
      return [1];
    case '}':
      if (place.braces > 0) place.braces -= 1;
      else if (places.length > 1) places.pop();
      return [1];
    case ')':
    case ']':
    case '<':
      return [1];
    case '/':
      return slashToken(scan, mayBeginExpression);
    default:
      scan.mayBeginExpression = text[at] !== '.';
      return [text.codePointAt(at) === text.charCodeAt(at) ? 1 : 2];
  }
}

/** After a slash that begins none, no other slash of the line is tried: each of them would read the rest of the line. */
function slashToken(scan: Scan, mayBeginExpression: boolean): Token {
  const { text, at } = scan;
  const length = mayBeginExpression && at >= scan.noExpressionBefore ? lengthOf(regularExpression, scan) : 0;
  if (length > 0) return [length, 's'];
  if (mayBeginExpression && at >= scan.noExpressionBefore) {
    const end = text.indexOf('\n', at);
    scan.noExpressionBefore = end < 0 ? text.length : end;
  }
  scan.mayBeginExpression = true;
  return [1];
}
