// Somebody else's val: what can be read of it, and what every command says of the rest.
import { expect, it } from 'vitest';
import { folderOf, run, runOnScreen, temporaryFolder } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';

const bare = { answersVersions: true, versionsOfOthers: 404 } as const;

async function adaAndBob(versionsOfOthers: 403 | 404 = 404) {
  const service = await startStrict({ ...bare, versionsOfOthers });
  const val = service.edit('greet', 'ada');
  val.privacy = 'public';
  const bob = service.addPerson('bob');
  const options = {
    env: { ...service.env, VALS_TOKEN: bob.token },
    home: temporaryFolder(),
    cwd: folderOf({ 'greet.ts': 'bob' }),
  };
  return { service, val, options };
}

it.each([
  ['version', 'ls'],
  ['version', 'get', '1'],
  ['version', 'diff', '1'],
  ['version', 'restore', '1'],
  ['version', 'new', 'greet.ts'],
])('%s %s says that a val which can be read belongs to somebody else', async (...words) => {
  const { service, val, options } = await adaAndBob();
  const [noun = '', verb = '', ...rest] = words;
  const { exit, error } = await run([noun, verb, val.id, ...rest, '--json'], options);
  expect({ exit, message: error?.message }).toEqual({
    exit: 3,
    message: `The val ${val.id} belongs to somebody else, or your token may only read it.`,
  });
  service.remove('greet');
  const { error: absent } = await run([noun, verb, val.id, ...rest, '--json'], options);
  expect(absent?.message).not.toContain('somebody else');
});

it.each([403, 404] as const)('is not listed after its versions were answered with %i', async (status) => {
  const { val, options } = await adaAndBob(status);
  await run(['val', 'get', val.id, '--json'], options);
  const listed = await run(['ls'], options);
  expect(listed.stdout).toContain(val.id);
  expect(listed.stderr).toContain('belong to others');
  expect((await runOnScreen(['val', 'get', val.id], options)).screen).toContain('ada');
  await run(['val', 'get', val.id, '--json'], options);
  expect((await run(['ls', '--json'], options)).stdout).toBe('[]\n');
  expect(await run(['val', 'get', 'greet'], options)).toMatchObject({ exit: 3 });
});

it('a val that is answered for another one is exit 11', async () => {
  const [one, two] = ['4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11', '5f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11'];
  const { env } = await scriptedService([], () => ({ body: { id: two, name: 'hello', code: 'x' } }));
  const message = `The service sent the val ${two} instead of ${one}.`;
  expect(await run(['val', 'get', one ?? '', '--json'], { env })).toMatchObject({
    exit: 11,
    error: { message },
  });
  expect(await run(['val', 'get', (two ?? '').toUpperCase(), '--json'], { env })).toMatchObject({ exit: 0 });
});
