import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run, runOnScreen, temporaryFolder } from '../../support/program.ts';
import { scriptedService, testToken } from '../../support/scripted-service.ts';
import { id } from './pushes.ts';

const url = 'https://example.com/hello';
const serviceWithPage = () => scriptedService([], () => ({ body: { id, name: 'hello', url } }));

it.skipIf(process.platform === 'win32')(
  'vals open gives the address to the browser as one argument',
  async () => {
    const { env } = await serviceWithPage();
    const home = temporaryFolder();
    const [BROWSER, opened] = [join(home, 'browser'), join(home, 'opened')];
    writeFileSync(BROWSER, `#!/bin/sh\nprintf '%s\\n' "$@" > ${opened}.part\nmv ${opened}.part ${opened}\n`);
    chmodSync(BROWSER, 0o755);
    expect(await runOnScreen(['open', id], { env: { ...env, BROWSER }, home })).toMatchObject({ exit: 0 });
    await expect.poll(() => readFileSync(opened, 'utf8')).toBe(`${url}\n`);
  },
);

it('vals open prints the address if there is no browser, and in a pipe', async () => {
  const { env } = await serviceWithPage();
  const without = await runOnScreen(['open', id], { env: { ...env, BROWSER: '/no/such/browser' } });
  expect(without.screen).toContain(`${url}\r\n`);
  expect(await run(['open'], { env })).toMatchObject({ exit: 0, stdout: `${url}\n` });
  expect((await run(['open', id, '--json'], { env })).stdout).toBe(`{"url":"${url}"}\n`);
});

it.each([
  ['an address that is not http:// or https://', 'file:///etc/passwd'],
  ['an address that contains your token', `https://example.com/?t=${testToken}`],
])('vals open refuses %s', async (what, url) => {
  const service = await scriptedService([{ body: { id, url } }]);
  const { exit, stdout, stderr } = await run(['open', id], { env: service.env });
  expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
  expect(stderr).toContain(`The service sent ${what}, so nothing was opened.`);
});
