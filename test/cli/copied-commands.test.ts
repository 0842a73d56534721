import { expect, it } from 'vitest';
import { connectAgent } from '../agents/clients.ts';
import { folderOf, run } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { serviceInProcess } from '../support/service-in-process.ts';

it('an address in a hint is quoted', async () => {
  const service = await scriptedService([{ status: 401, body: {} }]);
  const env = { ...service.env, VALS_TOKEN: '', VALS_BASE_URL: `${service.env.VALS_BASE_URL}/a;touch(x)` };
  const { exit, stderr } = await run(['me'], { env });
  expect(exit).toBe(4);
  expect(stderr).toContain(`\`vals login --base-url '${env.VALS_BASE_URL}'\``);
});

it("a hint shows the user's own word for a val, in quotes", async () => {
  const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
  const service = await scriptedService([
    { body: { id: 'u1', username: 'ada' } },
    { body: { data: [{ id, name: 'my val' }] } },
    { body: { data: [] } },
    { status: 404, body: {} },
  ]);
  const { exit, stderr } = await run(['version', 'get', 'my val', '9'], { env: service.env });
  expect(exit).toBe(3);
  expect(stderr).toContain("`vals version ls 'my val'`");
});

it('a hint of `vals run` does not name a val of the service, because a file may have the same name', async () => {
  const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
  const code = 'import { writeFileSync } from "node:fs"; writeFileSync("x", "")';
  const service = await scriptedService([{ body: { id, name: 'hello', version: 1, code } }]);
  const { exit, stderr } = await run(['run', '--no-report', id], { env: service.env });
  expect(exit).toBe(12);
  expect(stderr).toMatch(/`vals run --allow-write \S+ <val\|file>`/);
});

it.each(["x'; touch x #", "`x'; touch x #"])(
  'the word for one val does not change the quotes around the id %j of another val',
  async (id) => {
    const first = { id: '\\', name: 'first' };
    const second = { id, name: 'second' };
    const me = { id: 'u1', username: 'ada' };
    const lists = [me, { data: [first, second] }, { data: [] }].map((body) => ({ body }));
    const service = await scriptedService(lists, ({ method, path }) => {
      if (method === 'GET') return { body: path.endsWith('/%5C') ? first : second };
      return path.endsWith('/%5C') ? { status: 204 } : { status: 500, body: {} };
    });
    const words = ['val', 'rm', 'first', 'second', '--yes', '--timeout', '1'];
    const { stderr } = await run(words, { env: service.env });
    expect(stderr).toContain('`vals val get second`');
  },
);

it('a file with the name of an option is reported by its own name, to people and to agents', async () => {
  const { env } = await serviceInProcess();
  const names = ['notes --force.ts', 'b --json.ts'];
  const cwd = folderOf(Object.fromEntries(names.map((name) => [name, ''])));
  const { stderr } = await run(['push', ...names], { env, cwd });
  const agent = await connectAgent([], { env, cwd });
  const { document } = await agent.call('push', { paths: names });
  const message = 'None of the 2 vals was pushed: notes --force.ts and b --json.ts are empty.';
  expect(stderr).toContain(message);
  expect(document.error).toMatchObject({ message: expect.stringContaining(message) });
});

it('a hint for an agent names a tool, or a person', async () => {
  const { env } = await serviceInProcess();
  const cwd = folderOf({ 'vals.json': '{"vals":{}}', 'one.ts': '1', 'two.ts': '2', 'empty.ts': '' });
  const agent = await connectAgent(['--allow-run', '--allow-delete'], { env, cwd });
  await agent.call('push', { paths: ['one.ts', 'two.ts'] });
  await agent.call('val_rm', { vals: ['two'] });
  const failing: [string, Record<string, unknown>][] = [
    ['val_get', { val: 'nope' }],
    ['version_get', { val: 'one', version: 9 }],
    ['version_diff', { val: 'nope', a: 1 }],
    ['diff', { vals: ['nope'] }],
    ['pull', { vals: ['two.ts'] }],
    ['push', { paths: ['two.ts'] }],
    ['push', { code: 'x' }],
    ['push', { paths: ['empty.ts'] }],
    ['val_create', { name: 'one', code: 'x' }],
    ['val_create', { name: 'n', file: '.' }],
    ['run', { val: 'nope' }],
  ];
  for (const [name, input] of failing) {
    const { isError, document } = await agent.call(name, input);
    const text = JSON.stringify(document).replaceAll(/a person has to run `vals [^`]*`/g, '');
    expect([name, isError, text]).toEqual([name, true, expect.not.stringContaining('`vals ')]);
  }
});
