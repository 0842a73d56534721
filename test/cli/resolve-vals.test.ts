import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOf, run, temporaryFolder, writeFiles } from '../support/program.ts';
import { reachable } from '../support/reachable.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';
import { Place, pushed } from '../workspace/support.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

async function known(name = 'hello') {
  const scripted = await scriptedService([], ({ method, path }) =>
    path.startsWith('/v1/users/')
      ? { status: 404 }
      : { body: method === 'GET' && /versions$|runs/.test(path) ? [] : { id, name, code: 'x' } },
  );
  const service = { ...scripted, env: await reachable(scripted.env) };
  const folder = temporaryFolder();
  writeFiles(folder, {
    'vals.json': JSON.stringify({
      vals: {
        'lib/hello.ts': {
          name: 'hello',
          ids: { [service.env.VALS_BASE_URL]: id, 'https://other.example': 'other' },
        },
        'lib/odd.ts': { name: 'odd', ids: { [service.env.VALS_BASE_URL]: 'val_17' } },
        'lib/only.ts': { name: 'only', ids: { 'https://other.example': 'another' } },
      },
    }),
    'lib/hello.ts': 'x',
    'lib/only.ts': 'y',
  });
  return { service, folder };
}

describe('a name or a file stands for the val', () => {
  it.each<[string[], string]>([
    [['val', 'get', 'hello'], `GET /v1/vals/${id}`],
    [['val', 'get', 'lib/hello.ts'], `GET /v1/vals/${id}`],
    [['val', 'get', './lib/hello.ts'], `GET /v1/vals/${id}`],
    [['runs', 'hello'], `GET /v1/vals/${id}/runs?limit=20&offset=0`],
    [['version', 'ls', 'hello'], `GET /v1/vals/${id}/versions`],
    [['version', 'get', 'hello', '1'], `GET /v1/vals/${id}/versions/1`],
    [
      ['val', 'get', '11111111-1111-4111-8111-111111111111'],
      'GET /v1/vals/11111111-1111-4111-8111-111111111111',
    ],
  ])('in %j', async (args, request) => {
    const { service, folder } = await known();
    const { exit, stderr } = await run(args, { cwd: folder, env: service.env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([request]);
  });

  describe('before a write, the val is read', () => {
    const writes: [string[], string[]][] = [
      [['val', 'rm', 'hello', '--yes'], [`DELETE /v1/vals/${id}`]],
      [['val', 'rm', 'lib/hello.ts', '--yes'], [`DELETE /v1/vals/${id}`]],
      [['version', 'new', 'hello', 'lib/hello.ts'], [`POST /v1/vals/${id}/versions`]],
      [['version', 'rm', 'hello', '1', '--yes'], [`DELETE /v1/vals/${id}/versions/1`]],
      [
        ['version', 'restore', 'hello', '1'],
        [`GET /v1/vals/${id}/versions/1`, `POST /v1/vals/${id}/versions`],
      ],
      [
        ['val', 'edit', 'hello'],
        [`GET /v1/vals/${id}`, `GET /v1/vals/${id}`, `POST /v1/vals/${id}/versions`],
      ],
    ];
    const read = `GET /v1/vals/${id}`;

    async function asked(args: string[], name?: string) {
      const { service, folder } = await known(name);
      const env = { ...service.env, EDITOR: 'sh -c "echo edited > $1" sh' };
      const { exit, error } = await run([...args, '--json'], { cwd: folder, env });
      return { exit, error, requests: service.requests.map(({ method, path }) => `${method} ${path}`) };
    }

    it.each(writes)('by %j', async (args, requests) => {
      expect(await asked(args)).toMatchObject({ exit: 0, requests: [read, ...requests] });
    });

    it.each(writes)('%j is exit 5 if the val has another name on the service', async (args) => {
      const { exit, error, requests } = await asked(args, 'production_billing');
      expect({ exit, requests }).toEqual({ exit: 5, requests: [read] });
      expect(error?.message).toBe(
        'The val "hello" is named "production_billing" on the service. Nothing was done.',
      );
      expect(error?.hint).toBe(`To use the val "production_billing", give its id: ${id}.`);
    });

    it.each([id, 'val_17'])('but not by the id %s', async (word) => {
      expect(await asked(['val', 'rm', word, '--yes'], 'production_billing')).toMatchObject({
        exit: 0,
        requests: [`DELETE /v1/vals/${word}`],
      });
    });
  });

  it('paths are relative to the current folder', async () => {
    const { service, folder } = await known();
    for (const word of ['hello.ts', '../lib/hello.ts']) {
      const { exit } = await run(['val', 'get', word], { cwd: join(folder, 'lib'), env: service.env });
      expect(exit).toBe(0);
    }
    expect(new Set(service.requests.map(({ path }) => path))).toEqual(new Set([`/v1/vals/${id}`]));
  });
});

it.each<[string, string]>([
  ['helo', 'Did you mean "hello"?'],
  ['lib/helo.ts', 'Did you mean "lib/hello.ts"'],
  ['hello.ts', 'Did you mean "lib/hello.ts"'],
  ['zzz', 'There is no val named zzz.'],
  ['only', 'is in the workspace, but not on'],
])('%s is not found, and no val is requested', async (word, message) => {
  const { service, folder } = await known();
  const { exit, stdout, error } = await run(['val', 'get', word, '--json'], {
    cwd: folder,
    env: service.env,
  });
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' });
  expect(error).toMatchObject({ kind: 'not_found', hint: expect.any(String) });
  expect(error?.message).toContain(message);
  expect(service.requests.filter(({ path }) => path.startsWith('/v1/vals'))).toEqual([]);
});

it.each(['status', 'diff', 'pull'])('vals %s does not find an unknown name', async (command) => {
  const { service, folder } = await known();
  const { exit, error } = await run([command, 'helo', '--json'], { cwd: folder, env: service.env });
  expect(exit).toBe(3);
  expect(error?.message).toContain('Did you mean "hello"?');
});

it('vals run names the file if only its extension is missing', async () => {
  const { env } = await serviceInProcess();
  const cwd = folderOf({ 'ageInDays.ts': 'export default 1' });
  const { exit, stderr } = await run(['run', 'ageInDays'], { env, cwd });
  expect(exit).toBe(3);
  expect(stderr).toContain('There is a file ageInDays.ts. To run it, run `vals run ageInDays.ts`.');
});

it('vals.json sets neither the service nor the token', async () => {
  const { place } = await pushed({ 'a.ts': 'a' });
  place.put({
    'vals.json': JSON.stringify({
      baseUrl: place.env.VALS_BASE_URL,
      token: place.env.VALS_TOKEN,
      ...place.manifest(),
    }),
  });
  expect(await new Place(place.folder, {}).vals('status')).toMatchObject({ exit: 2 });
});
