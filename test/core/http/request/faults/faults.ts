import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { FastClock } from '../../../../support/fast-clock.ts';
import type { Command } from './commands.ts';
import { canary, type Ending, json, response, sendAndEnd } from './harness.ts';
import type { Meeting } from './model.ts';

export interface World {
  clock: FastClock;
  command: Command;
  untouchedUrl: string;
}

export interface Fault {
  name: string;
  stage: 'accept' | 'begun' | 'asked';
  meets: Meeting | ((command: Command) => Meeting);
  act(socket: Socket, world: World): void;
  timeout?: number;
  leastGapMs?: number;
  inMessage?(world: World): string;
  isSlow?: boolean;
}

const asked = (name: string, meets: Fault['meets'], act: Fault['act'], more: Partial<Fault> = {}): Fault => ({
  name,
  stage: 'asked',
  meets,
  act,
  ...more,
});

type Text = string | ((world: World) => string);
const textIn = (text: Text, world: World): string => (typeof text === 'string' ? text : text(world));

const answered = (name: string, meets: Fault['meets'], text: Text, more: Partial<Fault> = {}): Fault =>
  asked(name, meets, (socket, world) => socket.write(textIn(text, world), 'latin1'), more);

export const goodAnswer = ({ command: { status, good } }: Pick<World, 'command'>): string =>
  response(status, good === undefined ? '' : json(good));

const wordyAnswer = ({ command: { good } }: World): string => response(200, json(good ?? { deleted: true }));

const hangingUp: Fault[] = (['RST', 'FIN'] as const).flatMap((end: Ending) => {
  const lost: Meeting = { kind: 'hung up', taken: 'yes' };
  const cut: Meeting = { kind: 'cut' };
  const after = (where: string, meets: Meeting, text: Text, stage: Fault['stage'] = 'asked'): Fault => ({
    ...{ name: `${end} ${where}`, stage, meets },
    act: (socket, world) => sendAndEnd(socket, textIn(text, world), end, world.clock),
  });
  return [
    after('on accept', { kind: 'hung up', taken: end === 'RST' ? 'no' : 'maybe' }, '', 'accept'),
    after('after the first bytes of the request', lost, '', 'begun'),
    after('after the request', lost, ''),
    after('in the headers', lost, 'HTTP/1.1 200 OK\r\ncontent-type: applica'),
    after('in the body', cut, (world) => wordyAnswer(world).slice(0, -3)),
    after('before the last chunk', cut, (world) => chunked(world).slice(0, -5)),
    after(
      'in the body of a 422',
      { kind: 'status', status: 422 },
      response(422, '{"message":"no"}').slice(0, -5),
    ),
  ];
});

function chunked({ command: { good } }: World): string {
  const body = json(good ?? { deleted: true });
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  return `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

const good = ({ good }: Command): Meeting => ({ kind: 'value', value: good });
const wordy = ({ good }: Command): Meeting => ({ kind: 'value', value: good ?? { deleted: true } });

const noHead: Meeting = { kind: 'silence', begun: false };
const noEnd: Meeting = { kind: 'silence', begun: true };
const late = { timeout: 60 };

const trickling = (name: string, meets: Meeting, head: string): Fault =>
  asked(
    name,
    meets,
    (socket, { clock }) => {
      const writeMore = (text: string): void => {
        if (socket.destroyed) return;
        socket.write(text);
        clock.after(2_000, () => writeMore(' '));
      };
      writeMore(`${head}\r\ncontent-length: 9999\r\n\r\n{`);
    },
    late,
  );

const slowness: Fault[] = [
  asked(
    'a black hole that accepts and never reads',
    { kind: 'silence', begun: false, unread: true },
    (socket) => void socket.pause(),
    { ...late, stage: 'accept' },
  ),
  asked('no answer', noHead, () => {}, late),
  answered('an answer that stalls in its body', noEnd, (world) => wordyAnswer(world).slice(0, -3), late),
  asked('slow headers within the deadline', good, (socket, world) =>
    world.clock.after(8_000, () => void socket.write(goodAnswer(world), 'latin1')),
  ),
  trickling('a body that trickles past the deadline', noEnd, 'HTTP/1.1 200 OK'),
  trickling('a 404 whose body never ends', { kind: 'status', status: 404 }, 'HTTP/1.1 404 No'),
];

const refused = (name: string, status: number, text: Text, more: Partial<Fault> = {}): Fault =>
  answered(name, { kind: 'status', status }, text, more);

const statuses = [400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 422, 429, 500, 501, 502, 503, 504].map(
  (status) =>
    refused(`status ${status}`, status, response(status, json({ message: `for ${status}` })), {
      inMessage: () => `for ${status}`,
    }),
);

const later = (status: number, value: string): string => response(status, '', [`retry-after: ${value}`]);

const retryAfter: Fault[] = [
  refused('429, Retry-After in seconds', 429, later(429, '3'), { leastGapMs: 3_000 }),
  answered(
    '503, Retry-After as a date',
    { kind: 'status', status: 503, retryAfter: 'soon' },
    ({ clock }) => later(503, new Date(clock.now() + 4_000).toUTCString()),
    { leastGapMs: 2_000 },
  ),
  answered(
    '503, Retry-After past the deadline',
    { kind: 'status', status: 503, retryAfter: 'past the deadline' },
    later(503, '9'.repeat(40)),
  ),
  refused('429, Retry-After garbage', 429, later(429, 'in a bit; 3')),
];

const redirect = (status: number, name: string, location: (world: World) => string): Fault =>
  answered(
    `${status} to ${name}`,
    { kind: 'redirect' },
    (world) => response(status, '', [`location: ${location(world)}`]),
    { inMessage: location },
  );

const redirects: Fault[] = [
  redirect(301, 'another port', ({ untouchedUrl }) => `${untouchedUrl}/v1/moved`),
  redirect(302, 'the same host', () => '/v1/moved'),
  answered('308 to nowhere', { kind: 'redirect' }, response(308)),
];

const page = (text: string) => `<!doctype html><html><title>${text}</title><body>${text}</body></html>`;
const notJson = { kind: 'not JSON' as const };
const ok = (body: string, headers?: string[]): string => response(200, body, headers);
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const bodies: Fault[] = [
  answered('a page with 200', notJson, ok(page('Sign in'), ['content-type: text/html'])),
  answered('nothing with 200', { kind: 'empty' }, ok('')),
  answered('204 without a body', { kind: 'empty' }, response(204)),
  answered('invalid UTF-8', notJson, ok('{"id":"\xff\xfe\xc0\x80"}')),
  answered(
    'gzip',
    { kind: 'compressed' },
    ok(latin1(gzipSync('{"id":"a","data":[]}')), ['content-encoding: gzip']),
  ),
  asked('an endless body', { kind: 'too large' }, (socket) => endless(socket), { isSlow: true }),
  asked('a 404 with an endless body', { kind: 'status', status: 404 }, (socket) => endless(socket, 404)),
];

function endless(socket: Socket, status = 200): void {
  const piece = Buffer.alloc(256 * 1024, 'x');
  socket.write(`HTTP/1.1 ${status} OK\r\ncontent-length: 1000000000000\r\n\r\n["`);
  const more = () => {
    while (!socket.destroyed) if (!socket.write(piece)) return void socket.once('drain', more);
  };
  more();
}

const values: Fault[] = [null, [], [1], {}, { data: [1] }].map((value) =>
  answered(`200 with ${JSON.stringify(value)}`, { kind: 'value', value }, ok(json(value))),
);

function changed(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => changed(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, changed(item, change)]));
}

const answeredWith = (name: string, value: (command: Command) => unknown): Fault =>
  answered(
    name,
    (command) => ({ kind: 'value', value: value(command) }),
    ({ command }) => ok(json(value(command))),
  );

const withTexts = (name: string, change: (text: string) => string): Fault =>
  answeredWith(name, ({ good }) => changed(good ?? { name: 'x' }, change));

const withKeys = (name: string, keys: Record<string, unknown>): Fault =>
  answeredWith(name, ({ good, reads }) =>
    reads === 'list' ? { data: [keys], links: {} } : { ...(good ?? {}), ...keys },
  );

const tokens: Fault[] = [
  withTexts('the token in every text', (text) => `${text} ${canary} ${encodeURIComponent(canary)}`),
  withKeys('the token as a key', { [canary]: { [canary]: canary } }),
  refused(
    'the token in an error',
    403,
    response(403, json({ message: `no: Bearer ${canary}`, [canary]: [canary] })),
  ),
  refused('the token where an error is cut', 418, response(418, 'x'.repeat(490) + canary.repeat(200))),
  answered('the token in a page', notJson, ok(page(canary))),
  answered('the token in a Location', { kind: 'redirect' }, response(302, '', [`location: /?t=${canary}`])),
  refused('the token in the reason', 500, response(500, '', [], canary)),
  answered('the token as an encoding', { kind: 'compressed' }, ok('{}', [`content-encoding: ${canary}`])),
  answered('the token as a status', { kind: 'not HTTP' }, `HTTP/1.1 ${canary}\r\n\r\n`),
];

const early = refused('413 before the request is whole', 413, response(413, json({ message: 'too large' })), {
  stage: 'begun',
});

const notHttp = { kind: 'not HTTP' as const };
const framing: Fault[] = [
  asked('content-length too long, then the end', { kind: 'cut' }, (socket, world) =>
    socket.end(wordyAnswer(world).replace(/(content-length: )\d+/, '$110000'), 'latin1'),
  ),
  answered(
    'a bad chunk',
    { kind: 'cut' },
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\nzz\r\n:1}\r\n0\r\n\r\n',
  ),
  answered('a good answer in chunks', wordy, chunked),
  asked('a body without a length, cut', notJson, (socket, { command: { good } }) =>
    socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${json(good ?? {}).slice(0, -1)}`, 'latin1'),
  ),
  answered(
    'hints before the answer',
    good,
    (world) => `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${goodAnswer(world)}`,
  ),
  answered('a header of 100 KB', notHttp, `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n{}`),
  answered('the greeting of another protocol', notHttp, 'SSH-2.0-OpenSSH_9.6\r\n'),
];

export const faults: readonly Fault[] = [
  ...hangingUp,
  ...slowness,
  ...statuses,
  ...retryAfter,
  ...redirects,
  ...bodies,
  ...values,
  ...tokens,
  early,
  ...framing,
];
