// vals.json may come from a stranger, so a push without paths does not send every file that it lists.
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { Place, put } from './support.ts';

const files = {
  'a.ts': 'a',
  'secrets.json': '{"password":"x"}',
  'prod/terraform.tfvars': 'password = "x"',
  'private/key.ts': 'key',
  '.gitignore': 'private/\n',
};

async function workspace() {
  const service = await scriptedService([], ({ method, body }) =>
    method === 'GET' ? { status: 404 } : { status: 201, body: { id: JSON.parse(body).name, version: 1 } },
  );
  const place = new Place(temporaryFolder(), service.env);
  const listed = Object.keys(files).filter((file) => file !== '.gitignore');
  const vals = Object.fromEntries(listed.map((file, index) => [file, { name: `v${index}` }]));
  put(place.folder, { ...files, 'vals.json': JSON.stringify({ vals }) });
  const sent = () =>
    service.requests.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body).code);
  return { place, sent };
}

it('leaves out files that are ignored or not code, and says so', async () => {
  const { place, sent } = await workspace();
  const { exit, stderr } = await place.vals('push');
  expect(exit).toBe(0);
  expect(stderr).toContain(
    'Not pushed: private/key.ts (ignored), prod/terraform.tfvars (not code), secrets.json (not code). ',
  );
  expect(sent()).toEqual(['a']);
});

it.each([
  ['secrets.json', '{"password":"x"}'],
  ['private/key.ts', 'key'],
  ['v1', '{"password":"x"}'],
])('sends %s if it is named', async (word, code) => {
  const { place, sent } = await workspace();
  expect(await place.vals('push', word)).toMatchObject({ exit: 0 });
  expect(sent()).toEqual([code]);
});

it('reads the ignore files at the top of the workspace for a folder below it', async () => {
  const { place, sent } = await workspace();
  put(place.folder, { 'lib/b.ts': 'b', 'lib/c.ts': 'c', '.valsignore': 'c.ts' });
  expect(await place.vals('push', 'lib')).toMatchObject({ exit: 0 });
  expect(sent()).toEqual(['b']);
});

it.each(['.gitignore', 'lib/.valsignore'])('sends nothing if %s is too large to be read', async (file) => {
  const { place, sent } = await workspace();
  put(place.folder, { 'lib/secret.ts': 'secret', [file]: `secret.ts\n${'#'.repeat(1_100_000)}` });
  for (const args of [['push'], ['push', 'lib']]) {
    const { exit, stderr } = await place.vals(...args);
    expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringContaining('is larger than 1 MB') });
  }
  expect(sent()).toEqual([]);
});
