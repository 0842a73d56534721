import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/cases.ts';
import { environment, folderOfVals, makeNamedPipe, program, temporaryFolder } from '../support/program.ts';
import { type Reply, scriptedService } from '../support/scripted-service.ts';

const mebibyte = 1_048_576;
const sizes = isLong
  ? [1, 100, 4_095, 4_096, 4_097, 65_535, 65_536, 65_537, mebibyte, 8 * mebibyte]
  : [1, 4_096, 65_535, 65_536, 65_537, 8 * mebibyte];

function namedPipe(): { reading: Socket; writing: number } {
  const path = join(temporaryFolder(), 'pipe');
  makeNamedPipe(path);
  // Without O_NONBLOCK, `openSync` would wait for a writer, and the test would hang.
  const end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY);
  return { reading: new Socket({ fd: end, readable: true, writable: false }), writing };
}

interface Reader {
  isSlow?: boolean;
  atMost?: number;
}

async function readFrom(pipe: Socket, { isSlow, atMost = Infinity }: Reader): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  if (atMost > 0) {
    for await (const chunk of pipe) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= atMost) break;
      if (isSlow) await sleep(1);
    }
  }
  pipe.destroy();
  return Buffer.concat(chunks);
}

async function piped(
  args: readonly string[],
  env: Record<string, string>,
  reader: Reader,
  answered?: Promise<unknown>,
) {
  const { reading, writing } = namedPipe();
  const child = spawn(process.execPath, [program, ...args], {
    env: environment(temporaryFolder(), env),
    stdio: ['ignore', writing, 'pipe'],
  });
  closeSync(writing);
  const closed = once(child, 'close');
  const stderr = child.stderr ? text(child.stderr) : '';
  if (reader.isSlow) await answered;
  const stdout = await readFrom(reading, reader);
  const [exit] = await closed;
  return { exit, stdout, stderr: await stderr };
}

type Row = { id: string; text: string };

function rowsOf(bytes: number, { overhead, frame }: Format): Row[] {
  const largest = 20_000;
  const count = Math.max(1, Math.floor(bytes / largest));
  const rows = Array.from({ length: count }, (_, index): Row => ({ id: `r${1_000 + index}`, text: '' }));
  const each = Math.floor(bytes / count) - overhead;
  for (const [index, row] of rows.entries()) {
    const length = index === 0 ? bytes - (count - 1) * (each + overhead) - overhead - frame : each;
    row.text = filler(Math.max(0, length), index);
  }
  return rows;
}

function filler(bytes: number, salt: number): string {
  const unit = `${salt} é𝄞`;
  const times = Math.floor(bytes / Buffer.byteLength(unit));
  const text = unit.repeat(times);
  return text + '.'.repeat(bytes - Buffer.byteLength(text));
}

interface Format {
  args: readonly string[];
  overhead: number;
  frame: number;
  written(rows: readonly Row[]): string;
  replies(rows: readonly Row[]): Reply[];
}

function pages(rows: readonly Row[]): Reply[] {
  const size = 50;
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, page) => {
    const end = (page + 1) * size;
    const links = end < rows.length ? { next: `?offset=${end}` } : {};
    return { body: { data: rows.slice(page * size, end), links } };
  });
}

const formats: Record<string, Format> = {
  '--json': {
    args: ['likes', '--all', '--json'],
    overhead: '{"id":"r1000","text":""},'.length,
    frame: 2,
    written: (rows) => `${JSON.stringify(rows)}\n`,
    replies: pages,
  },
  '--ndjson': {
    args: ['likes', '--all', '--ndjson'],
    overhead: '{"id":"r1000","text":""}\n'.length,
    frame: 0,
    written: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    replies: pages,
  },
  'tab-separated': {
    args: ['likes', '--all', '--fields', 'id,text'],
    overhead: 'r1000\t\n'.length,
    frame: 0,
    written: (rows) => rows.map(({ id, text }) => `${id}\t${text}\n`).join(''),
    replies: pages,
  },
  '--code': {
    args: ['val', 'get', '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11', '--code'],
    overhead: 0,
    frame: 0,
    written: (rows) => rows.map(({ text }) => text).join(''),
    replies: (rows) => [{ body: { id: 'x', code: rows.map(({ text }) => text).join('') } }],
  },
};

async function prepared(format: Format, bytes: number) {
  const rows = rowsOf(bytes, format);
  const replies = format.replies(rows);
  const { env, answered } = await scriptedService(replies);
  return {
    env,
    answered: replies.length > 1 ? undefined : answered,
    expected: Buffer.from(format.written(rows)),
  };
}

const formatNames = Object.keys(formats);
const formatsFor = (turn: number): string[] =>
  isLong ? formatNames : [formatNames[turn % formatNames.length] as string];

describe('a reader that reads to the end', () => {
  const cases = sizes.flatMap((bytes, turn) =>
    formatsFor(turn).flatMap((format) => [
      ...(isLong || turn % 2 === 0 ? [{ format, bytes, isSlow: false }] : []),
      ...(isLong || turn % 2 === 1 ? [{ format, bytes, isSlow: true }] : []),
    ]),
  );

  it.each(cases)('gets all $bytes bytes of $format (slow: $isSlow)', async ({ format, bytes, isSlow }) => {
    const chosen = formats[format] as Format;
    const { env, answered, expected } = await prepared(chosen, bytes);
    if (bytes > chosen.overhead + chosen.frame) expect(expected.length).toBe(bytes);
    const { stdout, ...ended } = await piped(chosen.args, env, { isSlow }, answered);
    expect(ended).toEqual({ exit: 0, stderr: '' });
    expect(stdout.length).toBe(expected.length);
    expect(stdout.equals(expected), 'identical').toBe(true);
  });
});

describe('a reader that closes the pipe', () => {
  const moments = [
    { bytes: 4_096, taken: 2_048 },
    { bytes: 65_537, taken: 0 },
    { bytes: mebibyte, taken: mebibyte - 65_537 },
    { bytes: 8 * mebibyte, taken: 4 * mebibyte },
  ];
  it.each(moments.flatMap((moment, turn) => formatsFor(turn + 1).map((format) => ({ ...moment, format }))))(
    'after $taken of $bytes bytes of $format: exit 0, and nothing on stderr',
    async ({ format, bytes, taken }) => {
      const chosen = formats[format] as Format;
      const { env, expected } = await prepared(chosen, bytes);
      const { stdout, ...ended } = await piped(chosen.args, env, { atMost: taken });
      expect(ended).toEqual({ exit: 0, stderr: '' });
      expect(stdout.equals(expected.subarray(0, stdout.length))).toBe(true);
    },
  );

  it('ends an endless list', async () => {
    const rows = rowsOf(mebibyte, formats['--ndjson'] as Format);
    let page = 0;
    const { env } = await scriptedService([], () => {
      page += 1;
      const data = rows.map((row) => ({ ...row, id: `${page}-${row.id}` }));
      return { body: { data, links: { next: `?offset=${page * rows.length}` } } };
    });
    const { stdout, ...ended } = await piped(['likes', '--all', '--ndjson'], env, { atMost: 1 });
    expect(ended).toEqual({ exit: 0, stderr: '' });
    expect(stdout.toString()).toMatch(/^\{"id":"1-r1000"/);
  });
});

describe('an output that cannot be written', () => {
  async function shell(script: string, env: Record<string, string>) {
    const folder = temporaryFolder();
    const { exitCode, stdout, stderr } = await execa('bash', ['-c', script], {
      env: environment(folder, { ...env, vals: `${process.execPath} ${program}` }),
      extendEnv: false,
      cwd: folder,
      stdin: 'ignore',
      reject: false,
    });
    return { exit: exitCode, stdout, stderr };
  }

  const amounts = [65_537, 100, mebibyte, 100];
  it.each(amounts.flatMap((bytes, turn) => formatsFor(turn).map((format) => ({ bytes, format }))))(
    'is exit 10 for $bytes bytes of $format on stdout',
    async ({ format, bytes }) => {
      const chosen = formats[format] as Format;
      const { env } = await prepared(chosen, bytes);
      const { exit, stderr } = await shell(`$vals ${chosen.args.join(' ')} > /dev/full`, env);
      expect({ exit, stack: /\n\s+at /.test(stderr) }).toEqual({ exit: 10, stack: false });
      const lines = stderr.trimEnd().split('\n');
      if (format.endsWith('json'))
        expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ error: { kind: 'local', exit: 10 } });
      else expect(lines[0]).toMatch(/^error: Standard output/);
    },
  );

  it('is exit 10 for --version on stdout, and a closed pipe is exit 0', async () => {
    expect(await shell('$vals --version > /dev/full', {})).toMatchObject({
      exit: 10,
      stderr: expect.stringMatching(/^error: Standard output/),
    });
    const script = 'exec 3> >(true); wait $!; $vals --version >&3';
    expect(await shell(script, {})).toEqual({ exit: 0, stdout: '', stderr: '' });
  });

  const refused: Reply = { status: 422, body: { message: 'no' } };
  const ada: Reply = { body: { username: 'ada' } };
  it.each([
    { where: '2>&-', reply: refused, exit: 6, stdout: '' },
    { where: '> /dev/full 2> /dev/full', reply: ada, exit: 10, stdout: '' },
    { where: '> /dev/full 2>&-', reply: ada, exit: 10, stdout: '' },
    { where: '>&- 2>&-', reply: refused, exit: 6, stdout: '' },
    { where: '<&- >&- 2>&-', reply: ada, exit: 0, stdout: '' },
    { where: '--debug 2> /dev/full', reply: ada, exit: 0, stdout: '{"username":"ada"}' },
    { where: '--debug 2> /dev/full', reply: refused, exit: 6, stdout: '' },
    { where: '--debug 2> >(exec true)', reply: ada, exit: 0, stdout: '{"username":"ada"}' },
    { where: '--debug 2> >(exec true)', reply: refused, exit: 6, stdout: '' },
  ])('with $where is exit $exit', async ({ where, reply, exit, stdout }) => {
    const { env } = await scriptedService([reply]);
    expect(await shell(`$vals me --json ${where}`, env)).toEqual({ exit, stdout, stderr: '' });
  });

  it.each(formatsFor(1))(
    'a closed stderr does not cut %s, and two closed pipes are exit 0',
    async (format) => {
      const chosen = formats[format] as Format;
      const command = `$vals ${chosen.args.join(' ')} --debug`;
      const { env, expected } = await prepared(chosen, mebibyte);
      const { exit, stdout } = await shell(`${command} 2>&- | cat; exit "\${PIPESTATUS[0]}"`, env);
      expect(exit).toBe(0);
      expect(Buffer.from(stdout).equals(Buffer.from(expected.toString().replace(/\n$/, '')))).toBe(true);
      const both = await prepared(chosen, mebibyte);
      const nobody = `${command} 2>&1 | true; exit "\${PIPESTATUS[0]}"`;
      expect(await shell(nobody, both.env)).toEqual({ exit: 0, stdout: '', stderr: '' });
    },
  );

  const files = ['a', 'b', 'c', 'd'];
  it.each([
    { where: '| true', status: 200, exit: 0 },
    { where: '--json 2>&1 | true', status: 400, exit: 6 },
    { where: '> /dev/full', status: 200, exit: 10 },
    { where: '>&- 2>&-', status: 200, exit: 0 },
  ])('does not stop a push: $where with status $status', async ({ where, status, exit }) => {
    const service = await scriptedService([], () => ({ status, body: {} }));
    const folder = folderOfVals(files);
    const script = `$vals push ${folder} --concurrency 1 ${where}; exit "\${PIPESTATUS[0]}"`;
    expect((await shell(script, service.env)).exit).toBe(exit);
    const sent = service.requests.map(({ body }) => (JSON.parse(body) as { name: string }).name);
    expect(sent).toEqual(files);
  });
});
