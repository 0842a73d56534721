import fc from 'fast-check';
import { expect, test } from 'vitest';
import { highlight } from '../../../src/service/pages/code-card.ts';
import { html, markupOf } from '../../../src/service/pages/html.ts';
import { markdownHtml } from '../../../src/service/pages/markdown.ts';
import { budget } from '../../support/cases.ts';

const marked = (code: string) => highlight(code).map(markupOf).join('\n');
const plain = (markup: string) => markup.replace(/<\/?span[^>]*>/g, '');
const escaped = (text: string) => markupOf(html`${text}`).replace(/\n$/, '');

test.each([
  ['const a = 1;', '<span class="k">const</span> a = <span class="n">1</span>;'],
  ['f("x")', '<span class="f">f</span>(<span class="s">&quot;x&quot;</span>)'],
  ['/* a\nb */x', '<span class="c">/* a</span>\n<span class="c">b */</span>x'],
  ['return /[/"]/g', '<span class="k">return</span> <span class="s">/[/&quot;]/g</span>'],
  ['= /a*[/]{2}/g / 2', '= <span class="s">/a*[/]{2}/g</span> / <span class="n">2</span>'],
  ['= /[a\n = /b/', '= /[a\n = <span class="s">/b/</span>'],
  ['"unclosed\n1', '<span class="s">&quot;unclosed</span>\n<span class="n">1</span>'],
  ['x: Promise<T>', 'x: <span class="t">Promise</span>&lt;<span class="t">T</span>&gt;'],
  ['x?.delete(y)', 'x?.<span class="f">delete</span>(y)'],
])('%j is coloured', (code, markup) => {
  expect(marked(code)).toBe(markup);
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

const slowPieces = ['/[', '"\\', '=/[/', '=/[a]', '=/\\', '/*', '"\'`', `\`$${'{'}`, '({[', 'get ', 'A '];

test.each(slowPieces)('256,000 characters of %j are coloured up to a limit, and shown whole', (piece) => {
  const code = piece.repeat(Math.floor(256_000 / piece.length));
  const markup = marked(code);
  expect(plain(markup) === escaped(code)).toBe(true);
  expect(markup.match(/<span/g)?.length ?? 0).toBeLessThanOrEqual(25_000);
});

test('what is put into a template is escaped, unless it is HTML', () => {
  const inner = html`<b>${'<i>'}</b>`;
  const markup = markupOf(html`<p title="${`"'`}">${inner}${['&', 1, undefined]}${'\u202e\r\n'}</p>`);
  expect(markup).toBe('<p title="&quot;&#39;"><b>&lt;i&gt;</b>&amp;1\\u202e\n</p>');
});

test.each([
  ['# Title', '<h3>Title</h3>'],
  ['<b onclick="x">&amp;</b>', '<p>&lt;b onclick=&quot;x&quot;&gt;&amp;&lt;/b&gt;</p>'],
  ['[a](https://x.example) [b](/vals/1)', '<p><a href="https://x.example">a</a> <a href="/vals/1">b</a></p>'],
  ['[a](other.md) README.md', '<p>[a](other.md) README.md</p>'],
  ['[a](JAVA&#x53;CRIPT:alert(1))', '<p>[a](JAVASCRIPT:alert(1))</p>'],
  ['[a](data:text/html,x)', '<p>[a](data:text/html,x)</p>'],
  ['![a "b"](https://x.example/y.png)', '<p><a href="https://x.example/y.png">a &quot;b&quot;</a></p>'],
  ['a\u202eb\u0000', '<p>a\\u202eb\\u0000</p>'],
])('the Markdown %j becomes %s', (text, markup) => {
  expect(markupOf(markdownHtml(text)).trim()).toBe(markup);
});
