import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOf, run } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';

it('vals run names the file if only its extension is missing', async () => {
  const { env } = await startStrict({ list: true });
  const cwd = folderOf({ 'ageInDays.ts': 'export default 1' });
  const { exit, stderr } = await run(['run', 'ageInDays'], { env, cwd });
  expect(exit).toBe(3);
  expect(stderr).toContain('There is a file ageInDays.ts. To run it, run `vals run ageInDays.ts`.');
});

it.each([
  ['lib', 'lib is a folder here, and no file.'],
  ['absent', 'There is no file absent here.'],
])(
  'vals run %s says that it is neither a val nor a file, with and without a service',
  async (word, sentence) => {
    const cwd = folderOf({ 'lib/a.ts': '', 'a.ts': '' });
    const { env } = await startStrict({ list: true });
    const { exit, stderr } = await run(['run', word], { env, cwd });
    expect({ exit, stderr }).toEqual({
      exit: 3,
      stderr: expect.stringContaining(`There is no val named ${word}.`),
    });
    expect(stderr).toContain(sentence);
    expect(await run(['run', word], { cwd })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(sentence),
    });
  },
);

it("vals run takes another owner's val by its owner and name", async () => {
  const { env, edit } = await startStrict({ alias: true });
  edit('hello', "export default () => 'hello'");
  for (const word of ['ada/hello', '@ada/hello'])
    expect(await run(['run', word], { env })).toMatchObject({ exit: 0, stdout: 'hello\n' });
});

/** Root may look into every folder. */
it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
  'vals run of a file in a locked folder is exit 10',
  async () => {
    const cwd = folderOf({ 'locked/a.ts': 'export default 1' });
    chmodSync(join(cwd, 'locked'), 0o600);
    expect(await run(['run', 'locked/a.ts'], { env: {}, cwd })).toMatchObject({ exit: 10 });
  },
);
