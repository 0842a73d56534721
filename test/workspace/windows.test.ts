// A disk that takes GREET.TS for greet.ts is not needed here: on Windows, vals looks up how the disk spells a path.
import { expect, it } from 'vitest';
import { folderName } from '../../src/workspace/data/data-folder.ts';
import { inProcess } from '../support/in-process.ts';
import { environment, folderOf, temporaryFolder } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';

it.each([
  [['status', 'SUB'], ['changed there']],
  [['diff', 'Sub'], ['changed there']],
  [['pull', 'SUB'], ['pulled']],
  [['push', 'SUB'], ['behind']],
  [['push', 'SUB/GREET.TS'], ['behind']],
  [['push', './Sub/Greet.ts'], ['behind']],
])('on Windows, %j means the path as the disk spells it', async (args, statuses) => {
  const service = await startStrict({ list: true });
  const cwd = folderOf({ 'vals.json': '{}', 'sub/greet.ts': 'export default 1;\n' });
  const options = { env: environment(temporaryFolder(), service.env), cwd, platform: 'win32' } as const;
  expect(await inProcess(['push', '--yes'], options)).toMatchObject({ exit: 0 });
  service.edit('greet', 'export default 2;\n');
  const { stdout } = await inProcess([...args, '--json'], options);
  const rows = JSON.parse(stdout).map(({ file, name, status }: Record<string, string>) => [
    file,
    name,
    status,
  ]);
  expect(rows).toEqual(statuses.map((status) => ['sub/greet.ts', 'greet', status]));
});

it('a folder keeps its records where the disk has no times of birth, and a new folder does not get them', () => {
  const nameAt = (born: bigint, changed: bigint, above = { birthtimeNs: 1n, ctimeNs: 2n }) =>
    folderName('/work/new/vals', (path) => ({
      ...{ dev: 1n, ino: 7n },
      ...(path === '/' ? above : { birthtimeNs: born, ctimeNs: changed }),
    }));
  const birthless = { birthtimeNs: 2n, ctimeNs: 2n };
  expect(nameAt(5n, 5n, birthless)).toBe(nameAt(6n, 6n, birthless));
  expect(nameAt(5n, 5n)).toBe(nameAt(5n, 6n));
  expect(nameAt(5n, 5n)).not.toBe(nameAt(6n, 7n));
});
