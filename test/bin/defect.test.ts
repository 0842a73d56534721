import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { folderOf, runProcess } from '../support/program.ts';
import { testToken } from '../support/scripted-service.ts';

const breaking = `require('node:crypto').randomUUID = () => {
  throw new TypeError('broken on purpose');
};
require('node:module').syncBuiltinESMExports();`;

it('a defect says to add --debug, which prints the stack in the files and lines of the source', async () => {
  const cwd = folderOf({ 'breaking.cjs': breaking });
  const env = {
    ...{ NODE_OPTIONS: '--require ./breaking.cjs', VALS_TOKEN: testToken },
    VALS_BASE_URL: 'http://127.0.0.1:1',
  };
  const vals = (...more: string[]) => runProcess(['val', 'create', 'a', ...more], { cwd, env, input: '1' });
  expect(await vals()).toMatchObject({
    exit: 1,
    stderr:
      'error: Unexpected: broken on purpose\nhint: This is a defect of vals. Add --debug to the command, and report what it prints.\n',
  });
  const file = 'src/core/http/request/send.ts';
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = 1 + lines.findIndex((text) => text.includes('randomUUID()'));
  const { exit, stderr } = await vals('--debug');
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: expect.stringMatching(
      new RegExp(`TypeError: broken on purpose\n(?: .*\n)* +at .*${file}:${line}:`),
    ),
  });
  expect(stderr).not.toContain('main.js');
});
