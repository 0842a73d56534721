import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { column } from '../../src/terminal/column.ts';
import { appendJobSummary } from '../../src/terminal/job-summary.ts';
import { run, temporaryFolder, writeFiles } from '../support/program.ts';
import { scriptedService, testToken } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';

const decoded = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

const tableOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | ').map(decoded));

function createJob(files: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const page = join(folder, 'summary.md');
  writeFiles(folder, files);
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: page };
  return { folder, env, page: () => readFileSync(page, 'utf8') };
}

it('the job summary is a table of the pushed vals, appended to the file', async () => {
  const job = createJob({ 'summary.md': 'earlier\n', 'one.ts': '1', 'two.ts': '2' });
  const service = await serviceInProcess();
  const { exit, stdout, stderr } = await run(['push', 'one.ts', 'two.ts', '--json'], {
    env: { ...service.env, ...job.env },
    cwd: job.folder,
  });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const [one, two] = JSON.parse(stdout);
  const text = job.page();
  expect(text).toMatch(/^earlier\n### vals push: 2 created\n\n/);
  expect(tableOf(text)).toEqual([
    ['status', 'name', 'version', 'id', 'file', 'error'],
    ['---', '---', '---', '---', '---', '---'],
    ['created', 'one', '1', one.id, 'one.ts', ''],
    ['created', 'two', '1', two.id, 'two.ts', ''],
  ]);
});

it('the job summary shows names, files and messages as plain text, without the token', async () => {
  const name = '_a_|b](http:x)<img src=x onerror=alert(1)>`$&amp;@user\n\u001b[31m #1 é';
  const file = `${name}.ts`;
  const job = createJob({ [file]: '1' });
  const message = `</td>|<script>alert("${testToken}")</script>\n\n# www.evil.example\n***`;
  const service = await scriptedService([{ status: 422, body: { message } }]);
  const { exit } = await run(['push', file, '--name', name], {
    env: { ...service.env, ...job.env },
    cwd: job.folder,
  });
  expect(exit).toBe(6);
  const text = job.page();
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  expect(rows).toHaveLength(3);
  expect(rows[2]).toMatch(/^(?:\| (?:[a-zA-Z0-9 ]|&#\d+;)*){6} \|$/);
  expect(text).not.toMatch(/[<>`\u001b]|www\.|@user/);
  expect(decoded(text)).not.toContain(testToken);
  expect(tableOf(text)[2]?.[4]).toBe(file.replace('\n', '\\n').replace('\u001b', '\\u001b'));
  expect(tableOf(text)[2]?.[5]).toContain('<script>alert("***")</script>');
});

it('the job summary lists files that could not be read', async () => {
  const { folder, env, page } = createJob();
  expect(await run(['push', 'gone.ts'], { env, cwd: folder })).toMatchObject({ exit: 10 });
  expect(tableOf(page())[2]).toEqual(['failed', 'gone', '', '', 'gone.ts', 'gone.ts does not exist.']);
});

it('a job summary that cannot be written causes a warning, and the push goes on', async () => {
  const { folder, env } = createJob({ 'one.ts': '1' });
  const service = await serviceInProcess();
  const { exit, stdout, stderr } = await run(['push', 'one.ts', '--json'], {
    env: { ...service.env, ...env, GITHUB_STEP_SUMMARY: join(folder, 'no', 'such', 'folder') },
    cwd: folder,
  });
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'created' }]);
  expect(stderr).toMatch(/^warning: The job summary could not be written: .*\n$/);
});

it('the job summary is written only in GitHub Actions', async () => {
  const { folder, env, page } = createJob({ 'summary.md': '' });
  await run(['push', 'gone.ts'], { env: { ...env, GITHUB_ACTIONS: undefined }, cwd: folder });
  expect(page()).toBe('');
});

it('a job summary of too many outcomes shows the ones that fit, and the number of the others', async () => {
  const file = join(temporaryFolder(), 'summary.md');
  const outcomes = Array.from({ length: 30_000 }, (_, index) => ({
    status: 'created',
    name: `val ${index}`,
  }));
  const columns = [column('name')];
  await appendJobSummary(file, 'push', outcomes, columns, (text) => text);
  const text = readFileSync(file, 'utf8');
  const shown = tableOf(text).slice(2);
  expect(Math.abs(text.length - 300_000)).toBeLessThan(100);
  expect(shown).toEqual(outcomes.slice(0, shown.length).map(({ name }) => [name, '']));
  expect(text).toMatch(new RegExp(`\\nand ${outcomes.length - shown.length} more\\.\\n\\n$`));
});
