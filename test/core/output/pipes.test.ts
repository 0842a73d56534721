import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { has } from '../../support/features.ts';
import { environment, folderOfVals, makeNamedPipe, program, temporaryFolder } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/scripted-service.ts';

const mebibyte = 1_048_576;

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

/** Letters of one to four bytes, so that a pipe cuts some of them in half. */
function textOf(bytes: number): string {
  const unit = 'x é𝄞';
  const text = unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
  return text + '.'.repeat(bytes - Buffer.byteLength(text));
}

async function listOf(bytes: number) {
  const largest = 20_000;
  const rows = Array.from({ length: Math.ceil(bytes / largest) }, (_, index) => {
    return { id: `r${index}`, text: textOf(Math.min(bytes, largest)) };
  });
  const size = 50;
  const replies = Array.from({ length: Math.ceil(rows.length / size) }, (_, page): Reply => {
    const end = (page + 1) * size;
    const links = end < rows.length ? { next: `?offset=${end}` } : {};
    return { body: { data: rows.slice(page * size, end), links } };
  });
  const { env } = await scriptedService(replies);
  const expected = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return { args: ['likes', '--all', '--ndjson'], env, expected };
}

const getCode = ['val', 'get', '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11', '--code'];

describe('a reader that reads to the end', () => {
  // A pipe holds 65,536 bytes.
  it('gets all bytes of --code, however slow it is', async () => {
    const code = textOf(65_537);
    const { env, answered } = await scriptedService([{ body: { id: 'x', code } }]);
    const { stdout, ...ended } = await piped(getCode, env, { isSlow: true }, answered);
    expect(ended).toEqual({ exit: 0, stderr: '' });
    expect(stdout.equals(Buffer.from(code)), 'identical').toBe(true);
  });

  it('gets all of a long list', async () => {
    const { args, env, expected } = await listOf(mebibyte);
    const { stdout, ...ended } = await piped(args, env, { isSlow: true });
    expect(ended).toEqual({ exit: 0, stderr: '' });
    expect(stdout.equals(expected), 'identical').toBe(true);
  });
});

describe('a reader that closes the pipe', () => {
  it('after half of the bytes: exit 0, and nothing on stderr', async () => {
    const { args, env, expected } = await listOf(2 * mebibyte);
    const { stdout, ...ended } = await piped(args, env, { atMost: mebibyte });
    expect(ended).toEqual({ exit: 0, stderr: '' });
    expect(stdout.equals(expected.subarray(0, stdout.length))).toBe(true);
  });

  it('ends a list whose next page never comes', async () => {
    const page = { data: [{ id: 1, text: textOf(mebibyte) }], links: { next: '?offset=1' } };
    const { env } = await scriptedService([{ body: page }, () => {}]);
    const { stdout, ...ended } = await piped(['likes', '--all', '--ndjson'], env, { atMost: 1 });
    expect(ended).toEqual({ exit: 0, stderr: '' });
    expect(stdout.toString()).toMatch(/^\{"id":1,/);
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

  it('is exit 10 for a list on stdout', async () => {
    const { args, env } = await listOf(100_000);
    const { exit, stderr } = await shell(`$vals ${args.join(' ')} > /dev/full`, env);
    expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining('"kind":"local"') });
  });

  it('is exit 10 for --version on stdout', async () => {
    const stderr = expect.stringMatching(/^error: Standard output/);
    expect(await shell('$vals --version > /dev/full', {})).toMatchObject({ exit: 10, stderr });
  });

  it.runIf(has('service')).each(['serve --json --port 0', 'serve --port 0 --log json'])(
    'is exit 10 for %s',
    async (command) => {
      const { exit, stderr } = await shell(`$vals ${command} > /dev/full`, {});
      expect({ exit, stderr }).toEqual({
        exit: 10,
        stderr: expect.stringContaining('Standard output could not be written: no space is left.'),
      });
    },
  );

  it('a closed stderr does not cut the output, and two closed pipes are exit 0', async () => {
    const { args, env, expected } = await listOf(mebibyte);
    const command = `$vals ${args.join(' ')} --debug`;
    const { exit, stdout } = await shell(`${command} 2>&- | cat; exit "\${PIPESTATUS[0]}"`, env);
    expect({ exit, isWhole: `${stdout}\n` === expected.toString() }).toEqual({ exit: 0, isWhole: true });
    const again = await listOf(mebibyte);
    const nobody = `${command} 2>&1 | true; exit "\${PIPESTATUS[0]}"`;
    expect(await shell(nobody, again.env)).toEqual({ exit: 0, stdout: '', stderr: '' });
  });

  it('does not stop a push', async () => {
    const service = await scriptedService([], () => ({ body: {} }));
    const files = ['a', 'b', 'c', 'd'];
    const { exit } = await shell(
      `$vals push ${folderOfVals(files)} --concurrency 1 > /dev/full`,
      service.env,
    );
    const sent = service.requests.map(({ body }) => (JSON.parse(body) as { name: string }).name);
    expect({ exit, sent }).toEqual({ exit: 10, sent: files });
  });
});
