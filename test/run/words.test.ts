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

/** Root may look into every folder. */
it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
  'vals run of a file in a locked folder is exit 10',
  async () => {
    const cwd = folderOf({ 'locked/a.ts': 'export default 1' });
    chmodSync(join(cwd, 'locked'), 0o600);
    expect(await run(['run', 'locked/a.ts'], { env: {}, cwd })).toMatchObject({ exit: 10 });
  },
);
