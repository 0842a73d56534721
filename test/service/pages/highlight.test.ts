import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml, highlight } from '../../../src/service/pages/code-html.ts';
import { budget } from '../../support/cases.ts';

const marked = (code: string) => highlight(code).join('\n');
const plain = (html: string) => html.replace(/<\/?span[^>]*>/g, '');

test.each([
  ['const a = 1;', '<span class="k">const</span> a = <span class="n">1</span>;'],
  ['f("x")', '<span class="f">f</span>(<span class="s">&quot;x&quot;</span>)'],
  ["'it\\'s' // no", `<span class="s">&#39;it\\&#39;s&#39;</span> <span class="c">// no</span>`],
  ['/* a\nb */x', '<span class="c">/* a</span>\n<span class="c">b */</span>x'],
  ['a / b / c', 'a / b / c'],
  ['x = /[/"]/g', 'x = <span class="r">/[/&quot;]/g</span>'],
  ['return /a/', '<span class="k">return</span> <span class="r">/a/</span>'],
  ['"unclosed\n1', '<span class="s">&quot;unclosed</span>\n<span class="n">1</span>'],
  ['`a\nb`', '<span class="s">`a</span>\n<span class="s">b`</span>'],
  ['x: Promise<T>', 'x: <span class="t">Promise</span>&lt;<span class="t">T</span>&gt;'],
  ['constant.new1', 'constant.new1'],
])('%j is coloured', (code, html) => {
  expect(marked(code)).toBe(html);
});

test('coloured code is the same code, whatever it contains', () => {
  const pieces = fc.constantFrom(...'/*"\'`\\\n\r[]}<&\u202e', '${', 'if', 'a1');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const code = parts.join('');
      expect(plain(marked(code))).toBe(escapeHtml(code).replace(/\n$/, ''));
    }),
    { numRuns: budget(200) },
  );
});

test.each(['/[', '"\\', '/*', '=/[/', '1/'])(
  '256,000 characters of %j are coloured up to a limit, and shown whole',
  (piece) => {
    const code = piece.repeat(256_000 / piece.length);
    const html = marked(code);
    expect(plain(html)).toBe(escapeHtml(code));
    expect(html.match(/<span/g)?.length ?? 0).toBeLessThanOrEqual(20_000);
  },
);
