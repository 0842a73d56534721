import { structuredPatch } from 'diff';
import { visibleLines } from '../../lib/visible.ts';

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  visibleLines(text.replaceAll('\r\n', '\n')).replace(/[&<>"']/g, (character) => escapes[character] ?? '');

const keywords =
  'abstract as async await break case catch class const continue debugger declare default delete do else enum ' +
  'export extends false finally for from function get if implements import in infer instanceof interface is keyof ' +
  'let namespace new null of private protected public readonly return satisfies set static super switch this throw ' +
  'true try type typeof undefined var void while with yield';
const isKeyword = new Set(keywords.split(' '));

/** No part of the pattern may backtrack, because hostile code could otherwise block the service. */
const tokenPattern = [
  '(?<comment>//[^\\n]*|/\\*[^]*?(?:\\*/|$))',
  '(?<string>"(?:[^"\\\\\\n]|\\\\[^])*"?|\'(?:[^\'\\\\\\n]|\\\\[^])*\'?|`(?:[^`\\\\]|\\\\[^])*`?)',
  '(?<number>(?<![\\w$])\\d[\\w.]*)',
  '(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)',
  '(?<slash>/)',
  '(?<space>\\s+)',
  '(?<other>[^])',
].join('|');
const mostTokens = 20_000;
const regularExpression = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/uy;

export function highlight(code: string): string[] {
  const lines: string[] = [];
  let line = '';
  const add = (text: string, kind: string | undefined) => {
    const parts = text.split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        lines.push(line);
        line = '';
      }
      if (part !== '') line += kind ? `<span class="${kind}">${escapeHtml(part)}</span>` : escapeHtml(part);
    }
  };
  const text = code.replaceAll('\r\n', '\n');
  let mayBeginExpression = true;
  let nextSearchFrom = 0;
  let tokens = 0;
  const token = new RegExp(tokenPattern, 'gu');
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    tokens += 1;
    if (tokens > mostTokens) {
      add(text.slice(match.index), undefined);
      break;
    }
    const { comment, string, number, word, slash, space } = match.groups ?? {};
    // Without `nextSearchFrom`, the service would read the rest of a line for each slash in the line, and
    // hostile code could block the service.
    if (slash && mayBeginExpression && match.index >= nextSearchFrom) {
      regularExpression.lastIndex = match.index;
      const whole = regularExpression.exec(text)?.[0];
      add(whole ?? slash, whole && 'r');
      token.lastIndex = match.index + (whole ?? slash).length;
      mayBeginExpression = !whole;
      if (!whole) nextSearchFrom = text.indexOf('\n', match.index) >>> 0;
      continue;
    }
    const isCall = word !== undefined && text[token.lastIndex] === '(';
    add(found, cssClassOf({ comment, string, number, word }, isCall));
    if (comment || space) continue;
    mayBeginExpression = word
      ? isKeyword.has(word) && !isValue.has(word)
      : !(string || number || /[)\]}]/.test(found));
  }
  return text.endsWith('\n') ? lines : [...lines, line];
}

const isValue = new Set(['this', 'super', 'null', 'undefined', 'true', 'false']);

function cssClassOf(
  { comment, string, number, word }: Partial<Record<string, string>>,
  isCall: boolean,
): string | undefined {
  if (comment) return 'c';
  if (string) return 's';
  if (number) return 'n';
  if (!word) return undefined;
  if (isKeyword.has(word)) return isValue.has(word) ? 'n' : 'k';
  if (isCall) return 'f';
  return /^\p{Lu}/u.test(word) ? 't' : undefined;
}

const mostEdits = 1_000;
const mostMs = 100;

export function diffHtml(before: string, after: string): string | undefined {
  const options = { context: 3, maxEditLength: mostEdits, timeout: mostMs };
  const patch = structuredPatch('', '', before, after, '', '', options);
  return patch?.hunks
    .map(({ oldStart, newStart, lines }) => {
      const rows = lines.map(
        (line) => `<span class="${lineClasses[line.charAt(0)] ?? 'same'}">${escapeHtml(line) || ' '}</span>`,
      );
      return `<span class="hunk">line ${oldStart} → ${newStart}</span>${rows.join('')}`;
    })
    .join('');
}

const lineClasses: Record<string, string> = { '+': 'plus', '-': 'minus', '\\': 'hunk' };
