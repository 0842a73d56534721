import { expect, it } from 'vitest';
import { folderOf, run, runOnScreen, temporaryFolder } from '../support/program.ts';
import { type Reply, scriptedService } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';
import { id, pushCode } from './pushes.ts';

const etag = '"7-abc"';
const val = (version: number): Reply => ({ headers: { etag }, body: { id, name: 'a', version, code: '1' } });
const changed: Reply = { status: 412, body: { title: 'Precondition Failed' } };
const cwd = () => folderOf({ 'a.ts': '2' });
const methods = ({ requests }: { requests: readonly { method: string }[] }) =>
  requests.map(({ method }) => method);
const ifMatch = ({ requests }: { requests: readonly { headers: Record<string, unknown> }[] }) =>
  requests.at(-1)?.headers['if-match'];

it('version new --if-version sends the version if the val has this version, with its ETag', async () => {
  const service = await scriptedService([val(3), val(4)]);
  const args = ['version', 'new', id, 'a.ts', '--if-version', '3'];
  expect(await run(args, { env: service.env, cwd: cwd() })).toMatchObject({ exit: 0 });
  expect(methods(service)).toEqual(['GET', 'POST']);
  expect(ifMatch(service)).toBe(etag);
});

it.each([[], ['--dry-run']])(
  'version new --if-version is a conflict at another version %j',
  async (...more) => {
    const service = await scriptedService([val(4)]);
    const args = ['version', 'new', id, 'a.ts', '--if-version', '3', '--json', ...more];
    expect(await run(args, { env: service.env, cwd: cwd() })).toMatchObject({
      exit: 5,
      stdout: '',
      error: {
        kind: 'conflict',
        message: 'a has version 4 on the service, not version 3. Nothing was sent.',
        hint: expect.stringContaining('vals version diff'),
      },
    });
    expect(methods(service)).toEqual(['GET']);
  },
);

it('version new --if-version is a conflict if the val changes after it was read', async () => {
  const service = await scriptedService([val(3), changed]);
  const args = ['version', 'new', id, 'a.ts', '--if-version', '3', '--json'];
  expect(await run(args, { env: service.env, cwd: cwd() })).toMatchObject({
    exit: 5,
    error: { message: 'The val was changed on the service after it was read.' },
  });
});

it('version new --if-version takes only the number of a version', async () => {
  expect(await run(['version', 'new', id, 'a.ts', '--if-version', 'x'], { cwd: cwd() })).toMatchObject({
    exit: 2,
  });
});

it('val rm deletes only the val that it has shown', async () => {
  const service = await scriptedService([val(3), changed]);
  const { exit } = await runOnScreen(['val', 'rm', id], {
    env: service.env,
    answers: [{ after: '[y/N]', keys: 'y\r' }],
  });
  expect(exit).toBe(5);
  expect(methods(service)).toEqual(['GET', 'DELETE']);
  expect(ifMatch(service)).toBe(etag);
});

it('val rm --yes, which reads nothing, sends no If-Match', async () => {
  const service = await scriptedService([{ status: 204 }]);
  expect(await run(['val', 'rm', id, '--yes'], { env: service.env })).toMatchObject({ exit: 0 });
  expect(ifMatch(service)).toBeUndefined();
});

it('val edit overwrites only the code that it has read', async () => {
  const service = await scriptedService([val(3), val(3), changed]);
  const EDITOR = 'sh -c \'printf 2 > "$1"\' --';
  const { exit, stderr } = await run(['val', 'edit', id], { env: { ...service.env, EDITOR } });
  expect(exit).toBe(5);
  expect(ifMatch(service)).toBe(etag);
  expect(stderr).toContain('Your text is in ');
});

it('the embedded service keeps what another writer sent after the val was read', async () => {
  const { env } = await serviceInProcess();
  const written = await pushCode(env, 'a', '1');
  const args = ['version', 'new', written ?? '', 'a.ts', '--if-version'];
  expect(await run([...args, '1'], { env, cwd: cwd() })).toMatchObject({ exit: 0 });
  expect(await run([...args, '1'], { env, cwd: cwd() })).toMatchObject({ exit: 5 });
  const { stdout } = await run(['version', 'ls', written ?? '', '--json'], { env });
  expect(JSON.parse(stdout)).toHaveLength(2);
});

it('val set by a name changes only the val that it has read', async () => {
  const home = temporaryFolder();
  const service = await scriptedService([val(3), val(3), changed]);
  await run(['val', 'create', 'a'], { env: service.env, home, input: '1' });
  const { exit } = await run(['val', 'set', 'a', '--privacy', 'public'], { env: service.env, home });
  expect(exit).toBe(5);
  expect(methods(service)).toEqual(['POST', 'GET', 'PUT']);
  expect(ifMatch(service)).toBe(etag);
});
