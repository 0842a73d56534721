import { expect, test } from 'vitest';
import { markupOf } from '../../../src/service/pages/html.ts';
import { markdownHtml } from '../../../src/service/pages/markdown.ts';

const shown = (text: string) => markupOf(markdownHtml(text)).trim();

test.each([
  ['# Title', '<h3>Title</h3>'],
  ['<b onclick="x">&amp;</b>', '<p>&lt;b onclick=&quot;x&quot;&gt;&amp;&lt;/b&gt;</p>'],
  ['[a](https://x.example)', '<p><a href="https://x.example">a</a></p>'],
  ['[a](/vals/1)', '<p><a href="/vals/1">a</a></p>'],
  ['[a](other.md) README.md', '<p>[a](other.md) README.md</p>'],
  ['[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>'],
  ['[a](JAVA&#x53;CRIPT:alert(1))', '<p>[a](JAVASCRIPT:alert(1))</p>'],
  ['[a](data:text/html,x)', '<p>[a](data:text/html,x)</p>'],
  ['![a "b"](https://x.example/y.png)', '<p><a href="https://x.example/y.png">a &quot;b&quot;</a></p>'],
  ['a\u202eb\u0000', '<p>a\\u202eb\\u0000</p>'],
])('%j becomes %s', (text, markup) => {
  expect(shown(text)).toBe(markup);
});
