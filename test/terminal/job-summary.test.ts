// The summary of a push on the page of a GitHub Actions job.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appendJobSummary } from '../../src/terminal/job-summary.ts';
import { run, temporaryFolder } from '../support/program.ts';
import { scriptedService, testToken } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';

const decoded = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

/** The cells of a Markdown table. GitHub splits a row at its bars before it reads anything else. */
const tableOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | ').map(decoded));

it('is a table of the pushed vals, appended to the file', async () => {
  const folder = temporaryFolder();
  const summary = join(folder, 'summary.md');
  writeFileSync(summary, 'earlier\n');
  writeFileSync(join(folder, 'one.ts'), '1');
  writeFileSync(join(folder, 'two.ts'), '2');
  const { env } = await serviceInProcess();
  const inJob = { env: { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }, cwd: folder };
  const { exit, stdout, stderr } = await run(['push', 'one.ts', 'two.ts', '--json'], inJob);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const [one, two] = JSON.parse(stdout);
  const text = readFileSync(summary, 'utf8');
  expect(text).toMatch(/^earlier\n### vals push: 2 created\n\n/);
  expect(tableOf(text)).toEqual([
    ['status', 'name', 'version', 'id', 'file', 'error'],
    ['---', '---', '---', '---', '---', '---'],
    ['created', 'one', '1', one.id, 'one.ts', ''],
    ['created', 'two', '1', two.id, 'two.ts', ''],
  ]);
});

it('shows names, files and messages as plain text, without the token', async () => {
  const folder = temporaryFolder();
  const summary = join(folder, 'summary.md');
  const name = '_a_|b](http:x)<img src=x onerror=alert(1)>`$&amp;@user\n\u001b[31m #1 é';
  const file = `${name}.ts`;
  writeFileSync(join(folder, file), '1');
  const message = `</td>|<script>alert("${testToken}")</script>\n\n# www.evil.example\n***`;
  const service = await scriptedService([{ status: 422, body: { message } }]);
  const env = { ...service.env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
  const { exit } = await run(['push', file], { env, cwd: folder });
  expect(exit).toBe(6);
  const text = readFileSync(summary, 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  expect(rows).toHaveLength(3);
  expect(rows[2]).toMatch(/^(?:\| (?:[a-zA-Z0-9 ]|&#\d+;)*){6} \|$/);
  expect(text).not.toMatch(/[<>`\u001b]|www\.|@user/);
  expect(decoded(text)).not.toContain(testToken);
  expect(tableOf(text)[2]?.[1]).toBe(name.replace('\n', '\\n').replace('\u001b', '\\u001b'));
  expect(tableOf(text)[2]?.[5]).toContain('<script>alert("***")</script>');
});

it('lists files that could not be read', async () => {
  const folder = temporaryFolder();
  const summary = join(folder, 'summary.md');
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
  expect(await run(['push', 'gone.ts'], { env, cwd: folder })).toMatchObject({ exit: 10 });
  expect(tableOf(readFileSync(summary, 'utf8'))[2]).toEqual([
    'failed',
    'gone',
    '',
    '',
    'gone.ts',
    'gone.ts does not exist.',
  ]);
});

it('that cannot be written causes a warning, and the push goes on', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'one.ts'), '1');
  const { env } = await serviceInProcess();
  const { exit, stdout, stderr } = await run(['push', 'one.ts', '--json'], {
    env: { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'no', 'such', 'folder') },
    cwd: folder,
  });
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'created' }]);
  expect(stderr).toMatch(/^warning: The job summary could not be written: .*\n$/);
});

it.each([{ GITHUB_ACTIONS: undefined }, { GITHUB_ACTIONS: 'false' }])(
  'is not written with %j',
  async (other) => {
    const folder = temporaryFolder();
    const summary = join(folder, 'summary.md');
    writeFileSync(summary, '');
    await run(['push', 'gone.ts'], { env: { GITHUB_STEP_SUMMARY: summary, ...other }, cwd: folder });
    expect(readFileSync(summary, 'utf8')).toBe('');
  },
);

it('of too many outcomes shows the ones that fit, and the number of the others', async () => {
  const file = join(temporaryFolder(), 'summary.md');
  const outcomes = Array.from({ length: 30_000 }, (_, index) => ({
    status: 'created',
    name: `val ${index}`,
  }));
  const columns = [{ header: 'name', paths: ['name'] }];
  await appendJobSummary(file, 'push', outcomes, columns, (text) => text);
  const text = readFileSync(file, 'utf8');
  const shown = tableOf(text).slice(2);
  expect(text.length).toBeGreaterThan(300_000 - 100);
  expect(text.length).toBeLessThan(300_000 + 100);
  expect(shown).toEqual(outcomes.slice(0, shown.length).map(({ name }) => [name, '']));
  expect(text).toMatch(new RegExp(`\\nand ${outcomes.length - shown.length} more\\.\\n\\n$`));
});
