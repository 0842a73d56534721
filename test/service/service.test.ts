import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import { LocalError } from '../../src/errors.ts';
import { startService } from '../../src/service/index.ts';
import { ask, createVal, putVal, speak, temporaryFolder, temporaryService } from './support.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

function contentOf(file: string) {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  return facts?.isFile() ? { bytes: readFileSync(file), mode: facts.mode } : undefined;
}

async function failureOf(promise: Promise<unknown>): Promise<LocalError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LocalError);
  return error as LocalError;
}

test('the owner and the token of a store are created once and kept', async () => {
  const file = join(temporaryFolder(), 'store.db');
  const first = await temporaryService({ at: file });
  expect(first.baseUrl).toBe(`http://127.0.0.1:${first.port}`);
  expect(first.token).toMatch(/^vals_local_[\w-]{43}$/);
  const { body } = await ask(first, 'GET', '/v1/me');
  expect(body).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), username: 'local' });
  await first.close();
  const second = await temporaryService({ at: file });
  expect(second.token).toBe(first.token);
  expect((await ask(second, 'GET', '/v1/me')).body).toMatchObject({ id: (body as { id: string }).id });
  expect((await temporaryService()).token).not.toBe(first.token);
});

describe('the file of a store', () => {
  test('is private to the owner, and so is its folder, whatever the umask', async () => {
    const folder = join(temporaryFolder(), 'deep', 'er');
    const before = process.umask(0);
    try {
      const service = await temporaryService({ at: join(folder, 'store.db') });
      await createVal(service, { name: 'v', code: 'c' });
      expect(modeOf(folder)).toBe(0o700);
      for (const suffix of ['', '-wal', '-shm']) expect(modeOf(`${service.at}${suffix}`)).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  test('is made private if other users could read it', async () => {
    const { at: file, close } = await temporaryService();
    await close();
    chmodSync(file, 0o644);
    await temporaryService({ at: file });
    expect(modeOf(file)).toBe(0o600);
  });

  test('contains all data after the service has ended', async () => {
    const service = await temporaryService();
    await createVal(service, { name: 'v', code: 'c' });
    await service.close();
    const wal = `${service.at}-wal`;
    expect(existsSync(wal) ? statSync(wal).size : 0).toBe(0);
  });

  test('keeps its log below 6 MB', async () => {
    const service = await temporaryService();
    for (let i = 0; i < 60; i++) {
      await putVal(service, 'v', `${i}`.repeat(100_000));
    }
    expect(statSync(`${service.at}-wal`).size).toBeLessThan(6 * 1024 * 1024);
  });

  const isRoot = process.getuid?.() === 0;

  test.each<[string, RegExp, (file: string) => void]>([
    [
      'not a database',
      /^The store \S+store\.db could not be used: it is not a SQLite database\.$/,
      (file) => writeFileSync(file, 'These are my notes. '.repeat(100)),
    ],
    [
      "another program's",
      /^The SQLite database \S+store\.db belongs to another program\.$/,
      (file) => new Database(file).exec('CREATE TABLE theirs (a)'),
    ],
    [
      'of a newer vals',
      /^The store \S+store\.db was made by a newer version of vals\.$/,
      (file) =>
        new Database(file).exec(
          'CREATE TABLE vals (a); PRAGMA application_id = 0x76616c73; PRAGMA user_version = 99',
        ),
    ],
    ['a folder', /store\.db could not be used/, (file) => mkdirSync(file)],
    ...(isRoot
      ? [
          [
            "another user's",
            /belongs to another user/,
            (file: string) => {
              writeFileSync(file, '');
              chownSync(file, 65_534, 65_534);
            },
          ] satisfies [string, RegExp, (file: string) => void],
        ]
      : []),
  ])('is refused when it is %s', async (_, message, make) => {
    const file = join(temporaryFolder(), 'store.db');
    make(file);
    const before = contentOf(file);
    const error = await failureOf(startService({ file, port: 0 }));
    expect(error.message).toMatch(message);
    expect(error.facts.hint).toBeTruthy();
    if (before) expect(contentOf(file)).toEqual(before);
  });

  test('is refused below a file', async () => {
    const file = join(temporaryFolder(), 'file', 'store.db');
    writeFileSync(dirname(file), '');
    const error = await failureOf(startService({ file, port: 0 }));
    expect(error.message).toContain(file);
    expect(error.facts.hint).toBeTruthy();
  });

  test('that fails is answered with 500 and no details', async () => {
    const service = await temporaryService();
    new Database(service.at).exec('DROP TABLE records');
    const answer = await ask(service, 'GET', '/v1/me/runs');
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail:
        'The service could not read or write its database. The output of `vals serve` shows the reason.',
      message:
        'The service could not read or write its database. The output of `vals serve` shows the reason.',
    });
  });
});

test('the error names a port that is in use', async () => {
  const { port } = await temporaryService();
  const error = await failureOf(startService({ file: join(temporaryFolder(), 'store.db'), port }));
  expect(error.message).toBe(`Port ${port} on 127.0.0.1 is in use by another program.`);
  expect(error.facts.hint).toBe(
    'End the other program, or use another port. To use any free port, set --port to 0.',
  );
});

test('the error names a metrics port that is in use, and the port of the service is closed again', async () => {
  const [{ port: used }, { port, close }] = [await temporaryService(), await temporaryService()];
  await close();
  const file = join(temporaryFolder(), 'store.db');
  const metrics = { port: used, host: '127.0.0.1' };
  const error = await failureOf(startService({ file, port, metrics }));
  expect(error.message).toBe(`Port ${used} on 127.0.0.1 is in use by another program.`);
  expect(error.facts.hint).toBe(
    'End the other program, or use another port. To use any free port, set --metrics-port to 0.',
  );
  const again = await startService({ file, port });
  expect(again.port).toBe(port);
  await again.close();
});

describe('ending the service', () => {
  test('finishes requests under way, then refuses connections', async () => {
    const service = await temporaryService();
    const outgoing = request(`${service.baseUrl}/v1/vals`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.token}`,
        'Content-Type': 'application/json',
        Expect: '100-continue',
      },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.write('{"name":"late",');
    const closing = service.close();
    const answered = new Promise<number | undefined>((resolve) => {
      outgoing.once('response', (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode);
      });
    });
    await expect(speak(service.port, 'GET / HTTP/1.1\r\n\r\n')).rejects.toThrow('ECONNREFUSED');
    outgoing.end('"code":"c"}');
    expect(await answered).toBe(201);
    await closing;
    const again = await temporaryService({ at: service.at });
    expect((await putVal(again, 'late', 'c')).status).toBe(200);
  });

  test('does not wait for connections without a request, and may be requested twice', async () => {
    const service = await temporaryService();
    await ask(service, 'GET', '/v1/me');
    const silent = connect(service.port, '127.0.0.1');
    const halfway = connect(service.port, '127.0.0.1');
    halfway.write('GET /v1/me HTTP/1.1\r\nHost:');
    for (const socket of [silent, halfway]) socket.on('error', () => {});
    await Promise.all([silent, halfway].map((socket) => once(socket, 'connect')));
    // The service accepts connections in turn, so after this answer all earlier connections are accepted.
    await speak(service.port, 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    const start = Date.now();
    await Promise.all([service.close(), service.close()]);
    expect(Date.now() - start).toBeLessThan(4_000);
  });

  test('gives up on a request that never ends', async () => {
    const service = await temporaryService();
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /v1/vals HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${service.token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
    );
    await once(socket, 'data');
    socket.write('{');
    const start = Date.now();
    await service.close();
    expect(Date.now() - start).toBeLessThan(20_000);
  });
});
