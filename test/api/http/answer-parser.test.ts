// Our parser of answers beside undici's own: what both are given, both read alike, however it comes in pieces.
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Instance, Module } from '../../../src/api/http/answer-parser.ts';
import { isLong } from '../../support/budget.ts';
import { InstanceOfBytes, ModuleOfBytes } from '../../support/parser-as-built.ts';

/** What undici makes of either. */
interface Llhttp {
  memory: { buffer: ArrayBuffer };
  malloc(size: number): number;
  llhttp_alloc(type: number): object;
  llhttp_execute(parser: object, at: number, length: number): number;
  llhttp_finish(parser: object): number;
  llhttp_resume(parser: object): void;
  llhttp_get_error_pos(parser: object): number;
}

/** Whom both tell. */
interface Listener {
  tellText(kind: string, at: number, length: number): number;
  tell(kind: string, ...numbers: number[]): number;
}

let listener: Listener;
const env = {
  wasm_on_url: () => 0,
  wasm_on_status: () => 0,
  wasm_on_message_begin: () => listener.tell('begin'),
  wasm_on_header_field: (_: object, at: number, length: number) => listener.tellText('name', at, length),
  wasm_on_header_value: (_: object, at: number, length: number) => listener.tellText('value', at, length),
  wasm_on_headers_complete: (_: object, ...head: number[]) => listener.tell('head', ...head),
  wasm_on_body: (_: object, at: number, length: number) => listener.tellText('body', at, length),
  wasm_on_message_complete: () => listener.tell('complete'),
};
const undicisParser = createRequire(import.meta.url)('undici/lib/llhttp/llhttp_simd-wasm.js');
const ours = new Instance(new Module(), { env }).exports as unknown as Llhttp;
const theirs = new InstanceOfBytes(new ModuleOfBytes(undicisParser), { env }).exports as Llhttp;
const pausedCode = 21;

interface Way {
  /** Where what comes is cut in two. */
  cuts: number[];
  /** As to a HEAD. */
  bodyless: boolean;
  /** Whether each piece of news of a head, a body or an end is answered with a pause. */
  pauses: boolean[];
}

/** What a parser told, and how it ended. */
function read(llhttp: Llhttp, text: string, { cuts, bodyless, pauses }: Way) {
  const told: [string, ...unknown[]][] = [];
  let bytes = Buffer.alloc(0);
  let base = 0;
  let asked = 0;
  const orPause = () => (pauses[asked++ % pauses.length] ? pausedCode : 0);
  listener = {
    tellText(kind, at, length) {
      const part = bytes.toString('latin1', at - base, at - base + length);
      const last = told.at(-1);
      if (last?.[0] === kind) last[1] += part;
      else told.push([kind, part]);
      return kind === 'body' && length > 0 ? orPause() : 0;
    },
    tell(kind, ...numbers) {
      told.push([kind, ...numbers]);
      if (kind === 'begin') return 0;
      const isBodyless = kind === 'head' && (bodyless || (numbers[0] as number) < 200);
      return isBodyless ? 1 : orPause();
    },
  };
  const parser = llhttp.llhttp_alloc(2);
  base = llhttp.malloc(text.length + 1);
  const whole = Buffer.from(text, 'latin1');
  const ends = cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b);
  let from = 0;
  for (const end of [...ends, whole.length]) {
    bytes = whole.subarray(from, end);
    from = end;
    for (;;) {
      new Uint8Array(llhttp.memory.buffer, base, text.length + 1).set(bytes);
      const code = llhttp.llhttp_execute(parser, base, bytes.length);
      if (code === 0) break;
      const rest = bytes.subarray(llhttp.llhttp_get_error_pos(parser) - base);
      if (code !== pausedCode) return { told, end: 'broken' };
      bytes = rest;
      llhttp.llhttp_resume(parser);
    }
  }
  const code = llhttp.llhttp_finish(parser);
  return { told, end: code === 0 || code === pausedCode ? 'finished' : 'cut off' };
}

/** Of what is not taken, one may know sooner than the other: undici's also waits for what begins like RTSP. */
function taken(llhttp: Llhttp, text: string, way: Way) {
  const { told, end } = read(llhttp, text, way);
  return { told, isTaken: end === 'finished' };
}

const way: fc.Arbitrary<Way> = fc.record({
  cuts: fc.array(fc.nat(2_000), { maxLength: 6 }),
  bodyless: fc.boolean(),
  pauses: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
});
const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const word = fc.stringMatching(/^[a-zA-Z][\w!#$%&'*+.^`|~-]{0,12}$/);
const bytes = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)), minLength, maxLength });
const visible = bytes(1, 20).map((text) => `v${text.replaceAll(/[^\t -~\x80-\xff]/g, '')}`);

/** As servers send them: a status, headers, and a body that ends in one of the ways there are. */
const chunk = fc
  .tuple(bytes(1, 30), oneOf('', ';a', ';a=b', ';a="b c\\""', ';a;b=1'), fc.boolean())
  .map(([text, extension, isUpper]) => {
    const size = text.length.toString(16);
    return `${isUpper ? size.toUpperCase() : size}${extension}\r\n${text}\r\n`;
  });
const trailers = fc.array(
  fc.tuple(word, visible).map(([name, value]) => `${name}: ${value}\r\n`),
  { maxLength: 2 },
);
const framing = fc.oneof(
  bytes(0, 40).map((text) => ({ headers: `Content-Length: ${text.length}\r\n`, body: text })),
  fc
    .tuple(fc.array(chunk, { maxLength: 3 }), oneOf('0', '000', '0;last'), trailers)
    .map(([chunks, last, after]) => ({
      headers: 'transfer-encoding: chunked\r\n',
      body: `${chunks.join('')}${last}\r\n${after.join('')}\r\n`,
    })),
  bytes(0, 40).map((body) => ({ headers: 'Connection: close\r\n', body })),
  bytes(0, 40).map((body) => ({ headers: 'Transfer-Encoding: gzip\r\n', body })),
  fc.constant({ headers: '', body: '' }),
);
const header = fc.oneof(
  fc.tuple(word, oneOf(':', ': ', ':\t '), fc.oneof(visible, fc.constant(''))).map((parts) => parts.join('')),
  oneOf(
    'Connection: keep-alive',
    'Connection: Upgrade',
    'Upgrade: h2c',
    'Connection: close, TE',
    'Keep-Alive: timeout=5',
  ),
);
const answer = fc
  .record({
    before: oneOf('', '', '\r\n'),
    version: oneOf('1.1', '1.1', '1.0'),
    status: oneOf('200', '201', '204', '304', '404', '429', '500', '103', '999'),
    reason: oneOf('', ' ', ' OK', ' Not Found', ' \xe9t\xe9\t!'),
    headers: fc.array(header, { maxLength: 4 }),
    framing,
  })
  .map(
    ({ before, version, status, reason, headers, framing }) =>
      `${before}HTTP/${version} ${status}${reason}\r\n${headers.map((line) => `${line}\r\n`).join('')}${framing.headers}\r\n${framing.body}`,
  );
/** Before an answer, each. */
const interim = 'HTTP/1.1 100 Continue\r\nlink: </x>\r\n\r\n';
const answers = fc.array(answer, { minLength: 1, maxLength: 3 }).map((texts) => texts.join(''));

/** With something wrong anywhere. */
const spoilt = fc
  .tuple(
    answers,
    fc.array(
      fc.record({
        at: fc.nat(),
        removed: fc.nat(3),
        added: fc.oneof(
          fc.constantFrom(...'\r\n \t:;,\0\x7f0f"', '', '\r\n', '\r\n ', 'HTTP/'),
          oneOf(
            'Content-Length: 3\r\n',
            'Content-Length: +3\r\n',
            'Transfer-Encoding: chunked\r\n',
            ', chunked',
            'chunked, ',
          ),
          bytes(1, 3),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((text, { at, removed, added }) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + added + text.slice(from + removed);
    }, text),
  );

const many = { numRuns: isLong ? 300_000 : 3_000 };

describe('the parser of answers', () => {
  it('reads what servers send as undici does', () => {
    fc.assert(
      fc.property(answers, way, (text, way) => {
        expect(taken(ours, text, way)).toEqual(taken(theirs, text, way));
      }),
      many,
    );
  });

  it('passes over each 100, whatever comes with it', () => {
    fc.assert(
      fc.property(answers, way, fc.integer({ min: 1, max: 3 }), (text, way, count) => {
        const { told } = read(ours, text, way);
        expect(read(ours, interim.repeat(count) + text, { ...way, cuts: [] }).told).toEqual(told);
      }),
      many,
    );
    expect(read(ours, interim, { cuts: [], bodyless: false, pauses: [false] })).toEqual({
      told: [['begin']],
      end: 'cut off',
    });
  });

  it.each(['', '/1.1 200 ', '/1.1 200 OK\r\n', '/1.1 100 Continue\r\n', '/1.1 100 Continue\r\na:'])(
    'does not keep what has no end: HTTP%s',
    (start) => {
      const endless = { cuts: [30], bodyless: false, pauses: [false] };
      expect(read(ours, `HTTP${start}${'x'.repeat(20_000)}`, endless).end).toBe('broken');
    },
  );

  it('takes nothing that undici would not take, and nothing otherwise', () => {
    fc.assert(
      fc.property(spoilt, way, (text, way) => {
        fc.pre(!text.includes(' 100'));
        const mine = read(ours, text, way);
        if (mine.end === 'finished') expect(mine).toEqual(read(theirs, text, way));
      }),
      many,
    );
  });
});
