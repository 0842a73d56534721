import { expect, it } from 'vitest';
import { folderOf, run, runOnScreen, temporaryFolder } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { id } from './pushes.ts';

const etag = '"7-abc"';
const val = (version: number): Reply => ({ headers: { etag }, body: { id, name: 'a', version, code: '1' } });
const changed: Reply = { status: 412, body: { title: 'Precondition Failed' } };
const cwd = () => folderOf({ 'a.ts': '2' });

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
    expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
  },
);

it.each([
  { args: ['version', 'new', id, 'a.ts', '--if-version', '3'], requests: 'POST GET POST' },
  { args: ['val', 'edit', id], requests: 'POST GET GET POST' },
  { args: ['val', 'set', 'a', '--privacy', 'public'], requests: 'POST GET PUT' },
  { args: ['val', 'rm', id], requests: 'POST GET GET DELETE' },
])('$args is a conflict if the val changes after it was read', async ({ args, requests }) => {
  const reads = requests.match(/GET/g) ?? [];
  const service = await scriptedService([val(3), ...reads.map(() => val(3)), changed]);
  const options = {
    home: temporaryFolder(),
    env: { ...service.env, EDITOR: 'sh -c \'printf 2 > "$1"\' --' },
  };
  await run(['val', 'create', 'a'], { ...options, input: '1' });
  const answers = args.includes('rm') ? [{ after: '[y/N]', keys: 'y\r' }] : undefined;
  const { exit, screen } = await runOnScreen(args, { ...options, cwd: cwd(), ...(answers && { answers }) });
  expect(exit).toBe(5);
  expect(screen).toContain('changed on the service after it was read');
  expect(screen.includes('Your text is in ')).toBe(args.includes('edit'));
  expect(service.requests.map(({ method }) => method).join(' ')).toBe(requests);
  expect(service.requests.at(-1)?.headers['if-match']).toBe(etag);
});

it.each([{}, { etag: true }])('a service with %j keeps what another writer sent', async (switches) => {
  const { env, requests, edit, codes } = await startStrict(switches);
  const args = ['version', 'new', edit('a', '1').id, 'a.ts', '--if-version', '1'];
  expect(await run(args, { env, cwd: cwd() })).toMatchObject({ exit: 0 });
  const sent = requests.find(({ method }) => method === 'POST');
  expect(sent?.headers['if-match'] !== undefined).toBe('etag' in switches);
  expect(await run(args, { env, cwd: cwd() })).toMatchObject({ exit: 5 });
  expect(codes('a')).toEqual(['1', '2']);
});
