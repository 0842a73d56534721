// Real pipes of every size, and readers that are quick, slow or gone: whole, byte for byte, or silently ended.
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { forEachAtMost } from '../support/at-most.ts';
import { isLong } from '../support/budget.ts';
import { makeNamedPipe } from '../support/named-pipe.ts';
import { environment, program, temporaryFolder } from '../support/program.ts';
import { type Reply, scriptedService } from '../support/scripted-service.ts';

const mebibyte = 1_048_576;
const sizes = [1, 100, 4_095, 4_096, 4_097, 65_535, 65_536, 65_537, mebibyte, 8 * mebibyte];

function namedPipe(): { reading: Socket; writing: number } {
  const path = join(temporaryFolder(), 'pipe');
  makeNamedPipe(path);
  // Without O_NONBLOCK, opening one end waits for the other.
  const end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY);
  return { reading: new Socket({ fd: end, readable: true, writable: false }), writing };
}

/** Gets the reading end of stdout, is told when the service has answered, and gives back what it read. */
type Reader = (pipe: Socket, answered?: Promise<unknown>) => Promise<Buffer>;

const fast: Reader = async (pipe) => {
  const chunks: Buffer[] = [];
  for await (const chunk of pipe) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** Comes once all was answered, then rests after each piece, so that the pipe is full nearly all the time. */
const slow: Reader = async (pipe, answered) => {
  await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of pipe) {
    chunks.push(chunk as Buffer);
    await sleep(1);
  }
  return Buffer.concat(chunks);
};

/** Takes so many bytes, or at least one more piece, and goes away. */
const leavingAfter =
  (bytes: number): Reader =>
  async (pipe) => {
    const chunks: Buffer[] = [];
    if (bytes > 0) {
      let taken = 0;
      for await (const chunk of pipe) {
        chunks.push(chunk as Buffer);
        taken += (chunk as Buffer).length;
        if (taken >= bytes) break;
      }
    }
    pipe.destroy();
    return Buffer.concat(chunks);
  };

interface Ended {
  exit: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
}

async function piped(
  args: readonly string[],
  env: Record<string, string>,
  reader: Reader,
  answered?: Promise<unknown>,
): Promise<Ended> {
  const { reading, writing } = namedPipe();
  const child = spawn(process.execPath, [program, ...args], {
    env: environment(temporaryFolder(), env),
    stdio: ['ignore', writing, 'pipe'],
  });
  closeSync(writing);
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const closed = new Promise<Pick<Ended, 'exit' | 'signal'>>((done) =>
    child.once('close', (exit, signal) => done({ exit, signal })),
  );
  const stdout = await reader(reading, answered);
  return { ...(await closed), stdout, stderr };
}

type Row = { id: string; text: string };

/** Rows that are written as so many bytes where that can be; not only ASCII, and each another. */
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

/** Exactly so many bytes of UTF-8. */
function filler(bytes: number, salt: number): string {
  const unit = `${salt} é𝄞`;
  const times = Math.floor(bytes / Buffer.byteLength(unit));
  const text = unit.repeat(times);
  return text + '.'.repeat(bytes - Buffer.byteLength(text));
}

interface Format {
  args: readonly string[];
  /** What is written around each row's text. */
  overhead: number;
  /** What is written around all of them. */
  frame: number;
  written(rows: readonly Row[]): string;
  reply(rows: readonly Row[]): Reply;
}

const list = (rows: readonly Row[]): Reply => ({ body: { data: rows, links: {} } });
const formats: Record<string, Format> = {
  '--json': {
    args: ['likes', '--all', '--json'],
    overhead: '{"id":"r1000","text":""},'.length,
    frame: 2,
    written: (rows) => `${JSON.stringify(rows)}\n`,
    reply: list,
  },
  '--ndjson': {
    args: ['likes', '--all', '--ndjson'],
    overhead: '{"id":"r1000","text":""}\n'.length,
    frame: 0,
    written: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    reply: list,
  },
  'tab-separated': {
    args: ['likes', '--all', '--fields', 'id,text'],
    overhead: 'r1000\t\n'.length,
    frame: 0,
    written: (rows) => rows.map(({ id, text }) => `${id}\t${text}\n`).join(''),
    reply: list,
  },
  '--code': {
    args: ['val', 'get', '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11', '--code'],
    overhead: 0,
    frame: 0,
    written: (rows) => rows.map(({ text }) => text).join(''),
    reply: (rows) => ({ body: { id: 'x', code: rows.map(({ text }) => text).join('') } }),
  },
};

async function prepared(format: Format, bytes: number) {
  const rows = rowsOf(bytes, format);
  const { env, answered } = await scriptedService([format.reply(rows)]);
  return { env, answered, expected: Buffer.from(format.written(rows)) };
}

const formatNames = Object.keys(formats);

/** Every size for one of the formats in turn; for all of them in a long run. */
const sizesFor = (turn: number): number[] =>
  sizes.filter((_, index) => isLong || index % formatNames.length === turn % formatNames.length);

describe('a reader that stays', () => {
  const cases = formatNames.flatMap((format, turn) => [
    { format, speed: 'quick', reader: fast, sizes: sizesFor(turn) },
    { format, speed: 'slow', reader: slow, sizes: sizesFor(turn + 2) },
  ]);

  it.each(cases)('and is $speed gets $format whole: $sizes', async ({ format, reader, sizes }) => {
    const chosen = formats[format] as Format;
    await forEachAtMost(2, sizes, async (bytes) => {
      const { env, answered, expected } = await prepared(chosen, bytes);
      const { stdout, ...ended } = await piped(chosen.args, env, reader, answered);
      expect({ bytes, ...ended }).toEqual({ bytes, exit: 0, signal: null, stderr: '' });
      expect({ bytes, received: stdout.length }).toEqual({ bytes, received: expected.length });
      expect(stdout.equals(expected), `${bytes} bytes, identical`).toBe(true);
    });
  });

  it('sees the sizes that are meant', async () => {
    for (const format of Object.values(formats)) {
      for (const bytes of sizes.filter((size) => size > format.overhead + format.frame)) {
        expect(Buffer.byteLength(format.written(rowsOf(bytes, format)))).toBe(bytes);
      }
    }
  });
});

describe('a reader that leaves', () => {
  it.each(formatNames.map((format, turn) => ({ format, sizes: sizesFor(turn + 1) })))(
    'early ends $format with exit 0 and without a word: $sizes',
    async ({ format, sizes: chosenSizes }) => {
      const chosen = formats[format] as Format;
      const moments = chosenSizes.map((bytes, index) => ({
        bytes,
        taken: index % 2 ? 0 : Math.ceil(bytes / 2),
      }));
      moments.push({ bytes: mebibyte, taken: mebibyte - 65_537 });
      await forEachAtMost(2, moments, async ({ bytes, taken }) => {
        const { env, expected } = await prepared(chosen, bytes);
        const { stdout, ...ended } = await piped(chosen.args, env, leavingAfter(taken));
        expect({ bytes, taken, ...ended }).toEqual({ bytes, taken, exit: 0, signal: null, stderr: '' });
        expect(stdout.equals(expected.subarray(0, stdout.length))).toBe(true);
      });
    },
  );

  it.each([['--json'], ['--ndjson']])(
    'before a push began does not keep it from sending all: %s',
    async (...flags) => {
      const folder = temporaryFolder();
      const names = Array.from({ length: 30 }, (_, index) => `v${index}`);
      for (const name of names) writeFileSync(join(folder, `${name}.ts`), name);
      const service = await scriptedService([], () => (response) => {
        setTimeout(() => response.writeHead(201).end('{}'), 20);
      });
      const ended = await piped(['push', folder, ...flags], service.env, leavingAfter(0));
      expect(ended).toMatchObject({ exit: 0, signal: null, stderr: '' });
      const sent = service.requests.map(({ body }) => (JSON.parse(body) as { name: string }).name);
      expect(sent.toSorted()).toEqual(names.toSorted());
    },
  );
});

describe('a place that takes nothing', () => {
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

  const little = [100];
  const much = [65_537, mebibyte];
  const amounts = formatNames.map((format, turn) => ({
    format,
    amounts: isLong ? [...little, ...much] : turn % 2 ? little : much,
  }));
  it.each(amounts)('as stdout is an error for $format, however much it is: $amounts', async (each) => {
    const { format } = each;
    const chosen = formats[format] as Format;
    await forEachAtMost(2, each.amounts, async (bytes) => {
      const { env } = await prepared(chosen, bytes);
      const { exit, stderr } = await shell(`$vals ${chosen.args.join(' ')} > /dev/full`, env);
      expect({ bytes, exit, stack: /\n\s+at /.test(stderr) }).toEqual({ bytes, exit: 10, stack: false });
      const lines = stderr.trimEnd().split('\n');
      if (format.endsWith('json'))
        expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ error: { kind: 'local', exit: 10 } });
      else expect(lines[0]).toMatch(/^error: Standard output/);
    });
  });

  const refused: Reply = { status: 422, body: { message: 'no' } };
  const ada: Reply = { body: { username: 'ada' } };
  it.each([
    { where: '2>&-', reply: ada, exit: 0, stdout: '{"username":"ada"}' },
    { where: '2>&-', reply: refused, exit: 6, stdout: '' },
    { where: '2> /dev/full', reply: refused, exit: 6, stdout: '' },
    { where: '> /dev/full 2> /dev/full', reply: ada, exit: 10, stdout: '' },
    { where: '> /dev/full 2>&-', reply: ada, exit: 10, stdout: '' },
    { where: '>&- 2>&-', reply: refused, exit: 6, stdout: '' },
    { where: '<&- >&- 2>&-', reply: ada, exit: 0, stdout: '' },
    { where: '--debug 2> /dev/full', reply: ada, exit: 0, stdout: '{"username":"ada"}' },
    { where: '--debug 2> >(exec true)', reply: ada, exit: 0, stdout: '{"username":"ada"}' },
    { where: '--debug 2> >(exec true)', reply: refused, exit: 6, stdout: '' },
  ])('$where: exit $exit', async ({ where, reply, exit, stdout }) => {
    const { env } = await scriptedService([reply]);
    expect(await shell(`$vals me --json ${where}`, env)).toEqual({ exit, stdout, stderr: '' });
  });

  const some = formatNames.filter((_, index) => isLong || index % 2 === 1);
  it.each(some)('as stderr, or nobody behind both: %s is whole, or ends quietly', async (format) => {
    const chosen = formats[format] as Format;
    const command = `$vals ${chosen.args.join(' ')} --debug`;
    const { env, expected } = await prepared(chosen, mebibyte);
    const script = `${command} 2>&- | cat; exit "\${PIPESTATUS[0]}"`;
    const { exit, stdout } = await shell(script, env);
    expect(exit).toBe(0);
    expect(Buffer.from(stdout).equals(Buffer.from(expected.toString().replace(/\n$/, '')))).toBe(true);
    const both = await prepared(chosen, mebibyte);
    const nobody = `${command} 2>&1 | true; exit "\${PIPESTATUS[0]}"`;
    expect(await shell(nobody, both.env)).toEqual({ exit: 0, stdout: '', stderr: '' });
  });
});
