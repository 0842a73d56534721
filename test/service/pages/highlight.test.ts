import fc from 'fast-check';
import { expect, test } from 'vitest';
import { highlight } from '../../../src/service/pages/code-card.ts';
import { html, markupOf } from '../../../src/service/pages/html.ts';
import { budget } from '../../support/cases.ts';

const marked = (code: string) => highlight(code).map(markupOf).join('\n');
const plain = (markup: string) => markup.replace(/<\/?span[^>]*>/g, '');
const escaped = (text: string) => markupOf(html`${text}`).replace(/\n$/, '');

test.each([
  ['const a = 1;', '<span class="k">const</span> a = <span class="n">1</span>;'],
  ['f("x")', '<span class="f">f</span>(<span class="s">&quot;x&quot;</span>)'],
  ['/* a\nb */x', '<span class="c">/* a</span>\n<span class="c">b */</span>x'],
  ['x = /[/"]/g', 'x = <span class="s">/[/&quot;]/g</span>'],
  ['return /a/', '<span class="k">return</span> <span class="s">/a/</span>'],
  ['"unclosed\n1', '<span class="s">&quot;unclosed</span>\n<span class="n">1</span>'],
  ['`a\nb`', '<span class="s">`a</span>\n<span class="s">b`</span>'],
  ['x: Promise<T>', 'x: <span class="t">Promise</span>&lt;<span class="t">T</span>&gt;'],
  ['x.default.type', 'x.default.type'],
  ['x?.delete(y)', 'x?.<span class="f">delete</span>(y)'],
  ['({ type: 1, from })', '({ type: <span class="n">1</span>, from })'],
  ['f = <T>(x) => 1', 'f = &lt;<span class="t">T</span>&gt;(x) =&gt; <span class="n">1</span>'],
])('%j is coloured', (code, markup) => {
  expect(marked(code)).toBe(markup);
});

test.each([
  ["a = <p>Don't {1} <B/> it's</p>; from 'x'", 's', ['&#39;x&#39;']],
  ['a = b / c / "d"', 's', ['&quot;d&quot;']],
])('in %j, the texts of kind %s are found', (code, kind, texts) => {
  const found = [...marked(code).matchAll(new RegExp(`<span class="${kind}">([^<]*)</span>`, 'g'))];
  expect(found.map(([, text]) => text)).toEqual(texts);
});

test('an import of another val is a link', () => {
  const lines = highlight(`import { a } from './b.ts';`, (name) =>
    name === './b.ts' ? '/vals/1?a&b' : undefined,
  );
  expect(lines.map(markupOf).join()).toContain(
    '<span class="s"><a href="/vals/1?a&amp;b">&#39;./b.ts&#39;</a></span>',
  );
});

test('coloured code is the same code, whatever it contains', () => {
  const pieces = fc.constantFrom(...'/*"\'`\\\n\r[]{}<>&.=\u202e', `$${'{'}`, 'if', 'a1', ' ');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const code = parts.join('');
      expect(plain(marked(code))).toBe(escaped(code));
    }),
    { numRuns: budget(200) },
  );
});

test.each(['/[', '"\\', '/*', '=/[/', `\`$${'{'}`, 'get '])(
  '256,000 characters of %j are coloured up to a limit, and shown whole',
  (piece) => {
    const code = piece.repeat(256_000 / piece.length);
    const markup = marked(code);
    expect(plain(markup) === escaped(code)).toBe(true);
    expect(markup.match(/<span/g)?.length ?? 0).toBeLessThanOrEqual(50_000);
  },
);

test('what is put into a template is escaped, unless it is HTML', () => {
  const inner = html`<b>${'<i>'}</b>`;
  const markup = markupOf(html`<p title="${`"'`}">${inner}${['&', 1, undefined]}${'\u202e\r\n'}</p>`);
  expect(markup).toBe('<p title="&quot;&#39;"><b>&lt;i&gt;</b>&amp;1\\u202e\n</p>');
});
