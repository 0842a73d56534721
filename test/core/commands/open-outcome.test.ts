// A new version whose answer was lost: where the version before is known, the versions tell whether it was made.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOf, runQuickly, temporaryFolder } from '../../support/program.ts';
import type { Reply } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';

const isNewVersion = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path.endsWith('/versions');

const commands: [string, string[]][] = [
  ['version new', ['version', 'new', 'hello', 'hello.ts']],
  ['version new --if-version', ['version', 'new', 'hello', 'hello.ts', '--if-version', '2']],
  ['version restore', ['version', 'restore', 'hello', '1']],
];

/** The first answer to a new version is lost, and each one if `isAlways`. */
async function losing({ isMade, isAlways = false }: { isMade: boolean; isAlways?: boolean }) {
  const service = await startStrict({ version: true });
  service.edit('hello', 'one');
  service.edit('hello', 'two');
  let isFirst = true;
  service.switches.instead = (seen): Reply | undefined => {
    if (!isNewVersion(seen) || !(isFirst || isAlways)) return undefined;
    isFirst = false;
    return (response) => {
      if (isMade) service.handle(seen);
      response.destroy();
    };
  };
  const home = temporaryFolder();
  const options = { env: service.env, home, cwd: folderOf({ 'hello.ts': 'one' }) };
  await runQuickly(['val', 'get', service.val('hello').id], options);
  return { service, options };
}

it.each(commands.flatMap(([name, args]) => [true, false].map((isMade) => [name, isMade, args] as const)))(
  '%s is done once, whether the one that was lost was made (%s)',
  async (_name, isMade, args) => {
    const { service, options } = await losing({ isMade });
    const { exit, stdout } = await runQuickly([...args, '--json'], options);
    expect({ exit, record: JSON.parse(stdout) }).toMatchObject({ exit: 0, record: { version: 3 } });
    expect(service.codes('hello')).toEqual(['one', 'two', 'one']);
  },
);

it('val edit is looked after, too', async () => {
  const { service, options } = await losing({ isMade: true });
  const editor = join(folderOf({ edit: '#!/bin/sh\nprintf three > "$1"\n' }), 'edit');
  chmodSync(editor, 0o755);
  const env = { ...options.env, VISUAL: editor };
  expect(await runQuickly(['val', 'edit', 'hello'], { ...options, env })).toMatchObject({ exit: 0 });
  expect(service.codes('hello')).toEqual(['one', 'two', 'three']);
});

it('one that is never made is tried four times, and is unknown', async () => {
  const { service, options } = await losing({ isMade: false, isAlways: true });
  const args = ['version', 'new', 'hello', 'hello.ts'];
  expect(await runQuickly(args, options)).toMatchObject({ exit: 8 });
  expect(service.requests.filter(isNewVersion)).toHaveLength(4);
});
