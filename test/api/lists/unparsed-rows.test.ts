// Pages that are passed on unparsed are those that the parser reads alike, and nothing else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUnparsedPage } from '../../../src/api/lists/unparsed-rows.ts';
import { rowsOf } from '../../../src/api/records.ts';
import { type JsonObject, parseJson, stringifyJson } from '../../../src/lib/json.ts';
import { rowsOfRecords } from '../../../src/lib/rows.ts';
import { budget } from '../../support/budget.ts';

const call = { method: 'GET', path: '/v1/me/runs' };
const parsed = (text: string) => rowsOfRecords(rowsOf(parseJson(text), call));

function expectAlike(text: string): void {
  const page = readUnparsedPage(Buffer.from(text));
  if (page === undefined) return;
  const rows = parsed(text);
  const indexes = [...rows.records().keys()];
  expect(page.rows.length).toBe(rows.length);
  expect(page.rows.records()).toEqual(rows.records());
  expect(indexes.map(page.rows.idAt)).toEqual(indexes.map(rows.idAt));
  expect(indexes.map(page.rows.keyAt)).toEqual(indexes.map(rows.keyAt));
  const some = indexes.filter((index) => index % 2 === 1);
  const pieces = [page.rows.pick(some), page.rows].map((each) => each.sent('\n')?.toString() ?? '');
  for (const [piece, each] of [
    [pieces[0], rows.pick(some)],
    [pieces[1], rows],
  ] as const) {
    const lines = piece?.split('\n').slice(0, -1) ?? [];
    expect(lines.map(parseJson)).toEqual(each.records());
    // Written by us, a line would look the same, but for the digits and keys that a parser gives up.
    expect(lines.map((line) => stringifyJson(parseJson(line)))).toEqual(
      each.records().map((record) => stringifyJson(record)),
    );
  }
}

const page = (data: unknown[]) => JSON.stringify({ data, links: { self: 'x', next: '?offset=1' } });

describe('a page as nearly all services send it', () => {
  it.each([
    { name: 'in an object', text: page([{ id: 'a', n: 1 }, { id: 'b' }]) },
    { name: 'alone', text: '[{"id":"a"},{"id":"b","val":{"id":"c","tags":["[",{}]}}]' },
    { name: 'empty', text: '{"data":[]}' },
    { name: 'with space around the list', text: '{"data": [{"id":"a"}]}\n' },
    { name: 'with text in UTF-8', text: page([{ id: 'ü', name: '日本語 😀' }]) },
    { name: 'with escapes that we write too', text: page([{ id: '"\\', code: 'a\n\tb' }]) },
    { name: 'with long numbers', text: '[{"id":12345678901234567890,"x":1.50,"y":-0,"z":1e400}]' },
    {
      name: 'with ids that need escapes',
      text: '[{"id":"a\\"b"},{"id":"\\\\"},{"id":"\u00e4\\n"},{"id":"\u{1f600}"}]',
    },
    { name: 'with a key twice', text: '[{"id":"a","id":"b"}]' },
    { name: 'without ids', text: '[{},{"id":null},{"id":{}},{"id":true},{"val":{"id":"x"}}]' },
  ])('$name is not parsed', ({ text }) => {
    expect(readUnparsedPage(Buffer.from(text))).toBeDefined();
    expectAlike(text);
  });

  it('keeps every digit and every key', () => {
    const text = '[{"n":1.50,"n":12345678901234567890}]';
    expect(readUnparsedPage(Buffer.from(text))?.rows.sent('\n')?.toString()).toBe(
      '{"n":1.50,"n":12345678901234567890}\n',
    );
  });
});

describe('a page is left to the parser', () => {
  it.each([
    ...[
      '',
      'null',
      '"[]"',
      '{}',
      '{"data":{}}',
      '[',
      '[{]',
      '[{}',
      '[{},]',
      '[{}]x',
      '[{}{}]',
      '[1]',
      '[null]',
      '[[]]',
    ],
    ...[
      '{"data":[{}],"errors":[]}',
      '{"title":"[","data":[{}]}',
      '{"data":[{"a":1}]',
      '[{"a":01}]',
      '[{"a":1.}]',
    ],
    ...[
      '[{"a":+1}]',
      '[{"a":.5}]',
      '[{"a":1e}]',
      '[{"a":-}]',
      '[{"a":tru}]',
      '[{"a":nulll}]',
      "[{'a':1}]",
      '[{"a"}]',
    ],
    ...[
      '[{"a":1,}]',
      '[{a:1}]',
      '[{"a":"\n"}]',
      '[{"a":"\u0000"}]',
      '[{"a":"\\x"}]',
      '[{"a":"\\"}]',
      '[{"a":[1,]}]',
    ],
    ...[
      '[ {}]',
      '[{} ]',
      '[{"a": 1}]',

      '[{"a":"\\u0041"}]',
      '[{"a":"\\/"}]',
    ],
    ...['[{"a":"\u007f"}]', '[{"a":"\u0080"}]', '[{"a":"\u009f"}]', '[{"a":"\u2028"}]', '[{"a":"\u2029"}]'],
    `[${'{"a":'.repeat(200)}1${'}'.repeat(200)}]`,
  ])('%j', (text) => {
    expect(readUnparsedPage(Buffer.from(text))).toBeUndefined();
  });

  it('that is not UTF-8', () => {
    expect(
      readUnparsedPage(Buffer.from([0x5b, 0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x5d])),
    ).toBeUndefined();
  });
});

const records = fc.array(
  fc.dictionary(
    fc.oneof(fc.constantFrom('id', 'val', '__proto__'), fc.string()),
    fc.jsonValue({ maxDepth: 3 }),
  ),
) as fc.Arbitrary<JsonObject[]>;

describe('whatever a page holds', () => {
  it('what is passed on is what the parser reads', () => {
    fc.assert(
      fc.property(records, fc.boolean(), (rows, bare) =>
        expectAlike(bare ? JSON.stringify(rows) : page(rows)),
      ),
      { numRuns: budget(150) },
    );
  });

  it('and nothing is passed on that the parser refuses', () => {
    const damage = fc.record({
      at: fc.nat(400),
      insert: fc.constantFrom(
        '',
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        ' ',
        '0',
        '1',
        '.',
        'e',
        '-',
        'n',
        '\n',
        'ü',
      ),
      drop: fc.nat(2),
    });
    let passedOn = 0;
    fc.assert(
      fc.property(records, damage, (rows, { at, insert, drop }) => {
        const text = page(rows);
        const damaged = text.slice(0, at) + insert + text.slice(at + drop);
        if (readUnparsedPage(Buffer.from(damaged)) === undefined) return;
        passedOn += 1;
        expectAlike(damaged);
      }),
      { numRuns: budget(500) },
    );
    expect(passedOn).toBeGreaterThan(10);
  });
});
